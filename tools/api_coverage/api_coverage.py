#!/usr/bin/env python3
"""Writes docs/api-coverage.md: for every function of AscendCL whether Forebay builds it.

What the functions are comes from the tables in tests/abi/interface, what is not built from src/acl/not_built*.cc, what
is built from the other sources in src/acl and, for overloads of C++, from the headers, what is tested from the tests
in tests/conformance and tests/abi and the programs in examples.

Usage: api_coverage.py --write     writes the page anew
       api_coverage.py --check     fails when the page is not what would be written, or a built function is not tested
"""
import collections
import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "abi"))
import abi_tables  # noqa: E402

PAGE = REPOSITORY / "docs" / "api-coverage.md"
TESTS = ("tests/conformance", "tests/abi/programs", "examples")
OVERLOADS_TEST = "cpp_overloads_test.cc"
SUFFIXES = {".c", ".cc", ".cpp", ".h"}
STATES = ("built and tested", "built", "not yet")
INTRODUCTION = """# What Forebay builds of AscendCL

Every function of the interface is declared, documented in its header and exported. One that is not built yet returns
200001 `ACL_ERROR_API_NOT_SUPPORT`, or NULL where it returns a pointer, and `aclGetRecentErrMsg` names it.

*Built and tested*: implemented, and called by a test in `tests/conformance` or `tests/abi` or by a program in
`examples`. *Not yet*: answers as above. Overloads of C++ are in a header only; one is built when the C functions it
calls are, and tested when a test compiles it.

This page is generated from the interface tables and the sources: `python3 tools/api_coverage/api_coverage.py --write`.
"""


def words_of(paths):
    """The identifiers in the code of these files, without comments and texts."""
    words = set()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        code = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)
        words |= set(re.findall(r"\bacl\w+", code))
    return words


def defined_functions():
    """The functions with a definition of their own in src/acl."""
    definition = re.compile(r"^[A-Za-z_][^;{}()=]*?\b(acl\w+)\([^;{}]*\)\s*(?:noexcept\s*)?\{", re.MULTILINE)
    found = set()
    for path in sorted((REPOSITORY / "src" / "acl").glob("*.cc")):
        if not path.name.startswith("not_built"):
            found |= set(definition.findall(re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))))
    return found


def packed(parameters):
    return re.sub(r"\s", "", parameters)


def overload_calls():
    """For each overload of C++, by name and parameters, the C functions that it may call."""
    code = abi_tables.code_of("acl/acl_rt_api.h")
    bodies = re.findall(r"^inline aclError (\w+)\(([^{]*)\) \{(.*?)\}$", code, flags=re.MULTILINE | re.DOTALL)
    return {(name, packed(parameters)): set(re.findall(r"\b(acl\w+)\(", body)) for name, parameters, body in bodies}


def survey():
    """A row for every function: group, function, header, state. And what is wrong."""
    not_built, defined, calls = abi_tables.not_built(), defined_functions(), overload_calls()
    files = [path for place in TESTS for path in sorted((REPOSITORY / place).rglob("*")) if path.suffix in SUFFIXES]
    # The test of the overloads names C functions without calling them.
    tested = words_of(path for path in files if path.name != OVERLOADS_TEST)
    overloads_tested = words_of(path for path in files if path.name == OVERLOADS_TEST)
    problems, rows = [], []
    for row in abi_tables.rows("functions"):
        name = row["function"]
        if row["linkage"].startswith("extern"):
            label, built, called = name, name in defined, name in tested
            if built == (name in not_built):
                problems.append(f"{name} is built, but stands in not_built*.cc" if built else
                                f"{name} is not built, and does not stand in not_built*.cc")
        else:
            label = f"{name}({row['parameters']})".replace(" *", "*").replace(" &", "&")
            needs = calls.get((name, packed(row["parameters"])), set())
            built, called = bool(needs) and needs <= defined, name in overloads_tested
        state = "not yet" if not built else "built and tested" if called else "built"
        if state == "built":
            problems.append(f"{label} is built, and no test calls it")
        rows.append((row["group"], label, row["header"], state))
    return problems, rows


def page(rows):
    groups = collections.defaultdict(collections.Counter)
    for group, _, _, state in rows:
        groups[group][state] += 1
    total = sum(groups.values(), collections.Counter())
    lines = [INTRODUCTION, "| Group | Built and tested | Built | Not yet | All |", "|---|--:|--:|--:|--:|"]
    for group, counts in [("**All**", total), *sorted(groups.items())]:
        lines.append(f"| {group} | {' | '.join(str(counts[state]) for state in STATES)} | {counts.total()} |")
    for group in sorted(groups):
        lines += ["", f"## {group}", "", "| Function | Header | State |", "|---|---|---|"]
        lines += [f"| `{label}` | `{header}` | {state} |" for of, label, header, state in rows if of == group]
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] not in (["--write"], ["--check"]):
        sys.exit(__doc__.strip())
    problems, rows = survey()
    text = page(rows)
    if sys.argv[1] == "--write":
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        problems.append("docs/api-coverage.md is not current: run python3 tools/api_coverage/api_coverage.py --write")
    for problem in problems:
        print(problem)
    counts = collections.Counter(state for *_, state in rows)
    print("api_coverage: " + ", ".join(f"{counts[state]} {state}" for state in STATES) + f", {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
