#!/usr/bin/env python3
"""Compares the table of tests/conformance/handle_calls.h with the functions that take handles.

Every function that is built must stand there once for each kind of handle that it takes. Exit status 0 when all do.
"""
import re
import sys

import abi_tables

KINDS = {
    "aclrtStream": "kStream",
    "aclrtContext": "kContext",
    "aclrtEvent": "kEvent",
    "aclrtNotify": "kNotify",
    "aclrtCntNotify": "kCounted",
    "aclrtBinHandle": "kBinary",
    "aclrtBinary": "kKept",
    "aclrtFuncHandle": "kFunction",
    "aclrtArgsHandle": "kList",
    "aclrtParamHandle": "kParameter",
    "aclDataBuffer *": "kBuffer",
    "aclrtMemPool": "kPool",
    "aclrtAllocatorDesc": "kAllocator",
}
NOT_THERE = {
    # The list's handle is memory of the caller, in which a list is begun.
    ("kList", "aclrtKernelArgsInitByUserMem"),
    # Called with the one above it: they differ in the type that they return.
    ("kBuffer", "aclGetDataBufferSize"),
}


def kinds_of(parameters):
    """The kinds of handles among the parameters; a pointer to a handle is an output, but for an array of them."""
    for parameter in parameters.split(","):
        kind = re.sub(r"\bconst\b", "", parameter).strip().rsplit(" ", 1)[0].strip()
        if kind in KINDS:
            yield KINDS[kind]


def main():
    table = (abi_tables.REPOSITORY / "tests" / "conformance" / "handle_calls.h").read_text(encoding="utf-8")
    there = set(re.findall(r'\b(?:CALL|CALL_AFTER|KindCall)\((?:Kind::)?(k[A-Z]\w+),\s*"?(\w+)', table))
    built = {name: row for name, row in abi_tables.c_functions().items() if name not in abi_tables.not_built()}
    wanted = {(kind, name) for name, row in built.items() for kind in kinds_of(row["parameters"])} - NOT_THERE
    wanted.add(("kNotify", "aclrtNotifyBatchReset"))
    problems = [f"no call of {name} with a handle of the kind {kind}" for kind, name in sorted(wanted - there)]
    problems += [f"{name} is called, but is not built" for _, name in sorted(there) if name not in built]
    print("\n".join(problems), end="\n" if problems else "")
    print(f"handle_calls: {len(there)} calls, {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
