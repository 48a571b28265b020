#!/usr/bin/env python3
"""Runs a check of clang's over the sources of the build tree that the preset "tsa" configures.

  tools/lint/clang_checks.py tsa            clang's warnings and its thread-safety analysis, as errors
  tools/lint/clang_checks.py tidy src       clang-tidy with .clang-tidy, here over src/ only
"""

import argparse
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import time

import source

TSA_FLAGS = ["-fsyntax-only", "-Wthread-safety", "-Wthread-safety-beta", "-Werror"]
TIDY = ["clang-tidy-19", "--quiet", "--warnings-as-errors=*"]


def tsa_command(entry, _build):
    """The entry's compile command, without what it writes and reads ahead, plus the analysis."""
    arguments = shlex.split(entry["command"])
    while not os.path.basename(arguments[0]).startswith("clang"):
        arguments.pop(0)  # ccache and its like
    kept = []
    skip = False
    for argument in arguments:
        if skip or argument in ("-o", "-MF", "-MT", "-MQ"):
            skip = not skip
        elif argument not in ("-c", "-MD", "-MMD"):
            kept.append(argument)
    return kept + TSA_FLAGS


def tidy_command(entry, build):
    return [*TIDY, "-p", build, entry["file"]]


def run(command, directory):
    start = time.monotonic()
    result = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    return result, time.monotonic() - start


def selected(database, root, paths):
    """One entry per source of the repository under the given paths; what the build made itself is left out."""
    entries = {}
    for entry in database:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
        if path.startswith(("..", "build" + os.sep)):
            continue
        if not paths or any(path == p or path.startswith(p.rstrip("/") + "/") for p in paths):
            entries.setdefault(path, entry)
    return entries


def main():
    root = source.repository_root()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=["tsa", "tidy"])
    parser.add_argument("paths", nargs="*", help="files or directories, from the top of the repository; default: all")
    parser.add_argument("--build", default=os.path.join(root, "build", "tsa"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    database_path = os.path.join(options.build, "compile_commands.json")
    if not os.path.exists(database_path):
        print("first: cmake --preset tsa", file=sys.stderr)
        return 2
    with open(database_path, encoding="utf-8") as file:
        entries = selected(json.load(file), root, options.paths)
    if not entries:
        print(f"no sources of the build are under: {' '.join(options.paths) or root}", file=sys.stderr)
        return 2

    make_command = tsa_command if options.check == "tsa" else tidy_command
    failures = 0
    times = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = {pool.submit(run, make_command(entry, options.build), entry["directory"]): path
                   for path, entry in entries.items()}
        for future in concurrent.futures.as_completed(pending):
            result, seconds = future.result()
            times.append((seconds, pending[future]))
            if result.returncode != 0:
                failures += 1
                print(f"== {pending[future]}\n{result.stdout}", file=sys.stderr, flush=True)
    seconds, slowest = max(times)
    print(f"{options.check}: {len(entries)} sources, {failures} with findings; slowest {slowest}, {seconds:.1f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
