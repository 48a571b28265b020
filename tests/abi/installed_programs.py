#!/usr/bin/env python3
"""Builds AscendCL programs against an installed copy as their authors would, and runs them.

The build tree is installed into a new directory. A C11 and a C++17 program are compiled without a warning by nothing
but `cc app.c -I P/include -L P/lib64 -lascendcl -Wl,-rpath,P/lib64`. Each runs with an empty environment, in another
current directory, by an absolute and by a relative path, and, where this script runs as root, as an unprivileged user
too. Nothing may be left running, and the installed files must not change. Exit status 0 when all holds.
"""
import argparse
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


def run(command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **options)
    if result.returncode != 0:
        sys.exit(f"installed_programs: {' '.join(map(str, command))}\nended with {result.returncode}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout


def compile_programs(prefix, directory, compilers):
    cc, cxx = compilers
    paths = ["-I", prefix / "include", "-L", prefix / "lib64", "-lascendcl", f"-Wl,-rpath,{prefix}/lib64"]
    for compiler, standard, source in [(cc, "-std=c11", "app.c"), (cxx, "-std=c++17", "app.cpp")]:
        program = directory / source.replace(".", "_")
        run([compiler, standard, *WARNINGS, PROGRAMS / source, "-o", program, *paths])
        yield program


def snapshot(prefix):
    return {str(path): path.lstat().st_mtime_ns for path in prefix.rglob("*") if not path.is_dir()}


def unprivileged():
    """How to become someone who owns nothing here; empty when that is not possible or not needed."""
    if os.geteuid() != 0:
        return []
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        return []
    if not shutil.which("setpriv"):
        return []
    return ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups", "--no-new-privs"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--build", required=True, help="the build tree")
    parser.add_argument("--compiler", default="gcc,g++", metavar="CC,CXX")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="forebay_installed_") as temporary:
        directory = pathlib.Path(temporary)
        directory.chmod(0o755)
        prefix = directory / "prefix with a blank"
        run([arguments.cmake, "--install", arguments.build, "--prefix", prefix])
        before = snapshot(prefix)
        elsewhere = directory / "elsewhere"
        elsewhere.mkdir()
        runs = 0
        for program in compile_programs(prefix, directory, arguments.compiler.split(",")):
            for become in [[], unprivileged()] if unprivileged() else [[]]:
                for path, cwd in [(program, elsewhere), (f"./{program.name}", directory), (program, "/")]:
                    output = run(["env", "-i", *become, path] if not become else [*become, "env", "-i", path], cwd=cwd)
                    if output != "sum 4950\n":
                        sys.exit(f"installed_programs: {program.name} printed {output!r}")
                    runs += 1
        if snapshot(prefix) != before:
            sys.exit("installed_programs: running programs changed the installed files")
    print(f"installed_programs: {runs} runs went well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
