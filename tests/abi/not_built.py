#!/usr/bin/env python3
"""Calls the functions that are not built, through a library as a program loads it.

Every function of the interface tables must be found in the library. Each of those that src/acl/not_built*.cc answers
for must return 200001, or NULL where it returns a pointer, and must be named by aclGetRecentErrMsg. Exit status 0 when
all holds.

Usage: not_built.py LIBRARY
"""
import ctypes
import re
import sys

import abi_tables

NOT_SUPPORTED = 200001
# Such a function looks at no argument, so that it may be given more of them than it has.
ARGUMENTS = [ctypes.c_void_p(None)] * 10


# A handle made by a typedef is a pointer too.
HANDLES = {row["name"] for row in abi_tables.rows("typedefs") if row["kind"].startswith("opaque handle")}


def problems_of(library, name, kind):
    """What is wrong with the answer of one function, which returns a value of this kind."""
    function = getattr(library, name)
    pointer = "*" in kind or kind in HANDLES
    function.restype = ctypes.c_void_p if pointer else ctypes.c_int
    library.aclGetRecentErrMsg()
    answer = function(*ARGUMENTS)
    text = (library.aclGetRecentErrMsg() or b"").decode()
    if kind == "aclError" and answer != NOT_SUPPORTED:
        yield f"{name} returned {answer}, not {NOT_SUPPORTED}"
    if pointer and answer is not None:
        yield f"{name} returned {answer:#x}, not NULL"
    if not re.search(rf"\b{name}\b", text):
        yield f"{name} is not named by the message {text!r}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    library = ctypes.CDLL(sys.argv[1])
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    functions = abi_tables.c_functions()
    absent = [name for name in functions if not hasattr(library, name)]
    problems = [f"{name} is not found in the library" for name in absent]
    not_built = abi_tables.not_built()
    for name in sorted(not_built - set(functions)):
        problems.append(f"{name} is not in the tables")
    for name in sorted((not_built & set(functions)) - set(absent)):
        problems += problems_of(library, name, functions[name]["return_type"])
    print("\n".join(problems), end="\n" if problems else "")
    print(f"not_built: {len(functions)} functions found, {len(not_built)} of them not built, {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
