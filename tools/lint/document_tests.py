#!/usr/bin/env python3
"""Checks that the tests that documents name exist.

In the documents below, `Suite.Name` in the last column of a table is a test of GoogleTest, somewhere under src or tests.
"""

import re
import sys

import source

DOCUMENTS = ["docs/cuda.md"]
_TEST = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST_P?)\(\s*(\w+)\s*,\s*(\w+)")
_NAMED = re.compile(r"`(\w+\.\w+)`")


def tests_in(text):
    return {f"{suite}.{name}" for suite, name in _TEST.findall(source.blank(text))}


def missing(document, known):
    """(line, name) of every test that is named and unknown; of a row without any test, the line and None."""
    found = []
    in_table = False
    for number, line in enumerate(document.splitlines(), 1):
        if not line.startswith("|"):
            in_table = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[-1] == "test":
            in_table = True
        elif in_table and not set(cells[-1]) <= set("-"):
            names = _NAMED.findall(cells[-1])
            found += [(number, name) for name in names if name not in known] or ([] if names else [(number, None)])
    return found


def main():
    root = source.repository_root()
    known = set()
    for path in source.listed_files(root):
        if source.is_code(path) and path.split("/")[0] in ("src", "tests"):
            known |= tests_in(source.read_text(root, path) or "")
    findings = []
    for path in DOCUMENTS:
        for line, name in missing(source.read_text(root, path), known):
            text = f"there is no test {name}" if name else "this row names no test"
            findings.append(source.Finding("document-tests", path, line, text))
    return source.report(findings)


if __name__ == "__main__":
    sys.exit(main())
