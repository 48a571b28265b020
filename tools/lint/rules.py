#!/usr/bin/env python3
"""Checks the rules that a compiler does not: where locks, threads, sleeps, exceptions and bare memory may appear, how
long a file may be, and what must not be left behind in any file.
"""

import re
import sys

import source

LIBRARY = ("src/", "include/")
ALL_CODE = ("src/", "include/", "tests/", "bench/", "examples/", "tools/")
MAX_LINES = 450
# Data, prose, and tables of one row a line are as long as they need to be.
COUNTED_SUFFIXES = (".h", ".hpp", ".c", ".cc", ".cpp", ".py", ".sh", ".cmake", "CMakeLists.txt")


class Rule:
    """A pattern that must not occur in code (comments and strings do not count) under `where`, except in `except_in`."""

    def __init__(self, name, pattern, why, where=LIBRARY, except_in=None):
        self.name = name
        self.pattern = re.compile(pattern, re.MULTILINE)
        self.why = why
        self.where = where
        self.except_in = re.compile(except_in) if except_in else None

    def applies(self, path):
        return source.is_code(path) and path.startswith(self.where) and not (
            self.except_in and self.except_in.search(path))


CODE_RULES = [
    Rule("raw-lock",
         r"\bstd::(?:(?:recursive_|shared_|timed_|recursive_timed_|shared_timed_)?mutex|condition_variable(?:_any)?"
         r"|lock_guard|unique_lock|scoped_lock|shared_lock)\b|\bpthread_(?:mutex|cond|rwlock|spin)_\w+",
         "take Mutex, MutexLock and CondVar of base, whose use the compiler checks", except_in=r"^src/base/"),
    Rule("raw-thread", r"\bstd::j?thread\b(?!::)|\bstd::async\b|\bpthread_create\b",
         "start threads through base, where they get a name and an owner", except_in=r"^src/base/"),
    Rule("sleep", r"\b(?:sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\b|(?<![\w.>])sleep\s*\(",
         "a wait on time is a race or a slow program; wait for what is to happen", where=ALL_CODE,
         except_in=r"^tests/.*watchdog"),
    Rule("exception", r"\b(?:throw|catch|try)\b", "failures travel as Status; only the C boundary catches",
         except_in=r"^src/acl/guard\.h$"),
    Rule("naked-new", r"(?<!operator )\bnew\b(?!\s*\()|(?<!operator )\bnew\s*\(\s*std::nothrow",
         "let something own the memory (make_unique, vector)", where=ALL_CODE),
    Rule("naked-delete", r"(?<!operator )(?<!= )(?<!=)\bdelete\b", "let an owner free it", where=ALL_CODE),
    Rule("goto", r"\bgoto\b", "structure the flow, or let an owner clean up", where=ALL_CODE),
]

# An object with a private constructor is made like this, and is owned at once.
OWNED_NEW = re.compile(r"\bunique_ptr<[^;(){}]*>\s*\w*\s*[({]\s*new\b")

# Assembled from pieces, so that this file does not contain what it looks for.
LEFTOVER = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.~})*-])/(?:" + "wo" + r"rk|fa" + r"rm|ho" + r"me/\w+|ro" + r"ot)/\w|/tm" + "p/bash")

RULES = {rule.name for rule in CODE_RULES} | {"leftover", "machine-path", "file-length"}


def check_file(path, text):
    findings = []

    def add(rule, position, why):
        findings.append(source.Finding(rule, path, text.count("\n", 0, position) + 1, why))

    rules = [rule for rule in CODE_RULES if rule.applies(path)]
    if rules:
        # A directive such as #include <new> is no use of it.
        code = re.sub(r"^[ \t]*#[ \t]*include[^\n]*", lambda m: " " * len(m.group()), source.blank(text),
                      flags=re.MULTILINE)
        code = OWNED_NEW.sub(lambda m: m.group()[:-3] + "   ", code)
        for rule in rules:
            for match in rule.pattern.finditer(code):
                add(rule.name, match.start(), f"'{match.group().strip()}': {rule.why}")
    for match in LEFTOVER.finditer(text):
        add("leftover", match.start(), f"'{match.group()}': finish it, or record it where work is tracked")
    for match in MACHINE_PATH.finditer(text):
        add("machine-path", match.start(), f"'{match.group()}...': a path of one machine")
    lines = text.count("\n")
    if lines > MAX_LINES and path.endswith(COUNTED_SUFFIXES):
        findings.append(source.Finding("file-length", path, lines,
                                       f"{lines} lines, more than {MAX_LINES}; a reader would rather find two files"))
    return findings


def main():
    root = source.repository_root()
    findings = []
    for path in source.listed_files(root):
        text = source.read_text(root, path)
        if text is not None:
            findings += check_file(path, text)
    return source.report(source.AllowList.load(root).filter(findings, RULES))


if __name__ == "__main__":
    sys.exit(main())
