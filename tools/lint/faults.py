#!/usr/bin/env python3
"""Makes docs/faults.md: every code the runtime can return, how to provoke it, and the test that does.

    tools/lint/faults.py            checks that the page is what the sources, tables and tests give
    tools/lint/faults.py --write    writes it

A code is returned when a source names it, or when a kind of injections.def leads to it. Each of these has a row of
faults.txt, or a kind with a test; a code that is not returned belongs to one of the parts below.
"""

import re
import sys

import source

PAGE = "docs/faults.md"
TABLE = "tools/lint/faults.txt"
CODES = "include/forebay/codes.def"
INJECTIONS = "src/base/include/forebay/base/injections.def"
ANY_CODE_TEST = "Provoke.EveryCodeCanBeReturnedByACall"

# Why codes are not returned: of the numbers from, to.
NOT_RETURNED = [
    (100004, 100008, "files are not written, and keys of the configuration have codes of their own"),
    (100011, 100032, "offline models, single operators and queues are not built"),
    (100033, 100036, "older numbers of what 107011, 107012, 107015 and 507012 say today"),
    (100038, 100041, "preprocessing, libraries that only serve for linking, and groups of cores do not exist here"),
    (100042, 100045, "profiling and dumps are not built"),
    (107004, 107005, "models are not built"),
    (107010, 107010, "the runtime writes no files of kernels"),
    (107013, 107014, "no part that is modelled has groups of cores"),
    (107016, 107018, "memory of the wrong kind is 107000, which names it"),
    (107020, 107020, "a task that takes too long has the code of its unit: 507014, 507034, 507017"),
    (107024, 107041, "captured models are not built"),
    (107043, 107043, "symbols of the host are not built"),
    (107045, 107045, "captured models are not built"),
    (148046, 148047, "profiling is not built"),
    (148049, 148053, "operators, pictures and bundles of models are not built"),
    (200002, 200005, "older numbers of what 107001, 107003, 107008 and 107017 say today"),
    (200007, 200007, "profiling is not built"),
    (207003, 207004, "overflow is asked for by aclrtGetOverflowStatus; without a device a number is wrong (107001)"),
    (207008, 207008, "streams that run out are 207005"),
    (207010, 207017, "models, chained tasks and queues are not built; overflow is asked for"),
    (207019, 207021, "captured models and links of several kinds are not built"),
    (300000, 300000, "nothing is stored"),
    (500002, 500005, "every failure has a more precise code"),
    (507000, 507000, "an error inside the runtime is 500000"),
    (507003, 507004, "a query says by its output whether a stream is idle"),
    (507007, 507008, "contexts are always released; a wrong part is refused when the device starts (507033)"),
    (507011, 507011, "models are not built"),
    (507021, 507023, "profiling, IPC of events, and models are not built"),
    (507024, 507024, "a kernel whose binary is unloaded is 107017 when it is launched, and 107044 when it is to run"),
    (507025, 507025, "the device always keeps the arguments of its tasks"),
    (507029, 507032, "debugging, labels and limits of programs do not exist here"),
    (507037, 507041, "chained tasks and modes of dies do not exist here"),
    (507051, 507052, "requests to the device that fail are 507899"),
    (507903, 507909, "captures, collective operations and snapshots are not built"),
    (507912, 507913, "snapshots are not built"),
]

HEAD = """# Faults

<!-- Made by tools/lint/faults.py of tools/lint/faults.txt, injections.def, the sources and the tests. -->

Every code that the runtime returns, how a program gets it, and the test that does it. `forebay explain CODE` says what a
code means and what to do. A fault of `FOREBAY_INJECT` takes the way of a real one; the same text goes into
`forebay::InjectFaults` and into `"inject"` of the configuration. `@` and keys behind it say where and when, such as
`aicore_exception@stream=3,task=5`.
"""


def parse_definitions(text, name):
    """Rows of a .def file, as lists of their arguments; strings without their quotes."""
    rows = re.findall(rf"^{name}\((.*)\)$", text, re.MULTILINE)
    return [[a or b for a, b in re.findall(r'"((?:[^"\\]|\\.)*)"|([^,\s"]+)', row)] for row in rows]


def parse_table(text):
    """(line, code, how, test) of every row; of a row that is malformed the line and three times None."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" | ")]
        good = len(parts) == 3 and all(parts) and parts[0].isdigit()
        rows.append((number, int(parts[0]), parts[1], parts[2]) if good else (number, None, None, None))
    return rows


def tests_of(path, text):
    """Suite.Name -> (path, body) of a file with tests."""
    code = source.blank(text, keep_strings=True)
    starts = list(re.finditer(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST_P?)\(\s*(\w+)\s*,\s*(\w+)", code))
    ends = [start.start() for start in starts[1:]] + [len(code)]
    return {f"{start[1]}.{start[2]}": (path, code[start.start():end]) for start, end in zip(starts, ends)}


def returned_codes(texts, enumerators):
    """Enumerators of the codes that the sources of the library name, other than to compare or to describe them."""
    found = set()
    for path, text in texts.items():
        if not path.startswith("src/") or path.endswith(("_test.cc", "_fixture.h", ".def")):
            continue
        code = re.sub(r'\{Code::\w+, "E\w+"\}|[=!]= ?Code::\w+', "", source.blank(text, keep_strings=True))
        found.update(name for name in re.findall(r"\bCode::(k\w+)", code) if name in enumerators)
    return found


class Faults:
    def __init__(self, texts):
        self.texts = texts
        self.findings = []
        self.codes = {row[0]: (int(row[1]), row[2], row[3]) for row in
                      parse_definitions(texts[CODES], "FOREBAY_CODE")}
        self.tests = {}
        for path, text in texts.items():
            if path.startswith(("src/", "tests/")) and source.is_code(path):
                # The public interface shows best how a program gets a code.
                for name, test in tests_of(path, text).items():
                    if name not in self.tests or path.startswith("tests/conformance/"):
                        self.tests[name] = test

    def miss(self, path, line, text):
        self.findings.append(source.Finding("faults", path, line, text))

    def test_of(self, name):
        """(path, body) of a test or a script."""
        return (name, self.texts[name]) if name in self.texts else self.tests.get(name)

    def rows_of_table(self):
        by_number = {number: (enumerator, name) for enumerator, (number, name, _) in self.codes.items()}
        for line, number, how, test in parse_table(self.texts[TABLE]):
            if number not in by_number:
                self.miss(TABLE, line, "not of the form: code | how | test, with a code that there is")
                continue
            enumerator, name = by_number[number]
            place = self.test_of(test)
            for call in re.findall(r"`(acl\w+)", how) if place else ():
                if not re.search(rf"\b{call}\b", self.texts[place[0]]):
                    self.miss(TABLE, line, f"{place[0]} does not call {call}")
            if place is None:
                self.miss(TABLE, line, f"there is no test {test}")
            elif not re.search(rf"\b({name}|{number}|Code::{enumerator})\b", place[1]):
                self.miss(TABLE, line, f"{test} does not name {number}, neither as {name} nor as Code::{enumerator}")
            else:
                yield enumerator, how, test, place[0]

    def rows_of_injections(self):
        for row in parse_definitions(self.texts[INJECTIONS], "FOREBAY_INJECTION"):
            enumerator, kind, meaning = row[3], row[1], row[4]
            if enumerator == "kSuccess" or kind == "api_error":
                continue
            pattern = re.compile(rf'"{kind}["@;]')
            users = sorted(name for name, (path, body) in self.tests.items()
                           if path.startswith("tests/conformance/") and pattern.search(body))
            if not users:
                self.miss(INJECTIONS, 1, f"no conformance test injects {kind}")
                continue
            yield enumerator, f"`FOREBAY_INJECT={kind}`: {meaning}", users[0], self.tests[users[0]][0]

    def page(self):
        rows = {}
        for enumerator, how, test, path in [*self.rows_of_table(), *self.rows_of_injections()]:
            rows.setdefault(enumerator, []).append(f"{how} | `{test}` | `{path}`")
        returned = returned_codes(self.texts, self.codes) | set(rows)
        lines = [HEAD, "| code | name | provoked by | test | in |", "|---|---|---|---|---|"]
        others = []
        for enumerator, (number, name, meaning) in self.codes.items():
            if number == 0:
                continue
            if enumerator in returned:
                if enumerator not in rows:
                    self.miss(TABLE, 1, f"nothing says how to provoke {number} {name}")
                lines += [f"| {number} | `{name}` | {row} |" for row in rows.get(enumerator, [])]
                continue
            reasons = [reason for first, last, reason in NOT_RETURNED if first <= number <= last]
            if len(reasons) != 1:
                self.miss("tools/lint/faults.py", 1, f"{len(reasons)} rows of NOT_RETURNED are about {number} {name}")
            others.append(f"| {number} | `{name}` | {meaning} | {'; '.join(reasons)} |")
        if ANY_CODE_TEST not in self.tests:
            self.miss("tools/lint/faults.py", 1, f"there is no test {ANY_CODE_TEST}")
        lines += ["", "## Codes that are never returned", "",
                  "A program that handles one of these can still be tested: "
                  "`FOREBAY_INJECT=api_error@call=aclrtMalloc,code=507000`",
                  f"makes any call return any code (`{ANY_CODE_TEST}`).", "",
                  "| code | name | meaning | why |", "|---|---|---|---|", *others]
        return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__.strip())
    root = source.repository_root()
    texts = {path: source.read_text(root, path) or "" for path in source.listed_files(root)
             if path.startswith(("src/", "tests/", "include/")) or path in (TABLE, PAGE)}
    faults = Faults(texts)
    page = faults.page()
    if sys.argv[1:] == ["--write"]:
        with open(f"{root}/{PAGE}", "w", encoding="utf-8") as file:
            file.write(page)
    elif page != texts.get(PAGE):
        faults.miss(PAGE, 1, "not what the tables give; run tools/lint/faults.py --write")
    return source.report(faults.findings)


if __name__ == "__main__":
    sys.exit(main())
