#!/usr/bin/env python3
"""Compares the acl... symbols that a library exports with the functions of the interface tables, both ways.

Usage: exported_symbols.py LIBRARY        exit status 0 when they are the same
"""
import subprocess
import sys

import abi_tables


def exported(library):
    command = ["nm", "-D", "--defined-only", "--format=posix", library]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    # A symbol may carry a version behind an @.
    names = (line.split()[0].split("@")[0] for line in lines if line.strip())
    return {name for name in names if name.startswith("acl")}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    try:
        symbols = exported(sys.argv[1])
    except subprocess.CalledProcessError as error:
        sys.exit(f"exported_symbols: {error.stderr.strip()}")
    functions = abi_tables.c_functions()
    missing = sorted(set(functions) - symbols)
    surplus = sorted(symbols - set(functions))
    for name in missing:
        print(f"{name}: a function of {functions[name]['header']}, not exported")
    for name in surplus:
        print(f"{name}: exported, and not in the tables")
    print(f"exported_symbols: {len(functions)} functions in the tables, {len(symbols)} symbols exported, "
          f"{len(missing)} missing, {len(surplus)} surplus")
    return bool(missing or surplus)


if __name__ == "__main__":
    sys.exit(main())
