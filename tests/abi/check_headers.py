#!/usr/bin/env python3
"""Checks the AscendCL headers against the interface tables.

Every function, enumerator, constant, type and layout that the tables list for a header must be in it as listed, and
nothing may be there that the tables do not know. The codes of
include/forebay/codes.def must be those of the tables, in order of their numbers and none left out. Each header must
compile alone and before and after every other one, as C11 and as C++17, without a warning. Compilers: gcc and clang,
or those named by --compiler, each a C and a C++ compiler joined by a comma. Exit status 0 when all holds.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys

import abi_tables

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Macros of the tables that a header of ours need not define, and why.
NOT_DEFINED = {
    "GE_FUNC_VISIBILITY": "marks functions of the graph engine, and the header has none",
    "__INC_EXTERNEL_RT_ERROR_CODES_H__": "an include guard",
}
# What stands for the types of a template.
TEMPLATE_TYPES = {"T": "float", "U": "int"}


class Report:
    """Counts what was compared and keeps what disagrees."""

    def __init__(self):
        self.counts = collections.Counter()
        self.problems = []

    def problem(self, text):
        self.problems.append(text)


def of_header(table, header):
    return [row for row in abi_tables.rows(table) if row["header"] == header]


def number(value):
    return int(value.rstrip("ULul"), 0)


class Unit:
    """One source text that compiles only if its header agrees with the tables."""

    def __init__(self, header, cplusplus):
        self.cplusplus = cplusplus
        self.lines = [f'#include "{header}"', "#include <stddef.h>"]
        if cplusplus:
            self.lines.append("#include <type_traits>\n#include <utility>")

    def claim(self, condition, text):
        keyword = "static_assert" if self.cplusplus else "_Static_assert"
        self.lines.append(f'{keyword}({condition}, "{text}");')

    def same(self, left, right, text):
        """Claims that two types are one; C cannot ask that."""
        if self.cplusplus:
            self.claim(f"std::is_same_v<{left}, {right}>", text)

    def text(self):
        return "\n".join([*self.lines, "int main(void) { return 0; }", ""])


def claim_enumerators(unit, header, counts):
    for row in of_header("enums", header):
        name, kind = row["enumerator"], row["enum_type"]
        unit.claim(f"{name} == {row['value']}", f"{name} is {row['value']}")
        unit.same(f"decltype({name})", kind, f"{name} is of type {kind}")
        counts["enumerators"] += 1


def claim_constants(unit, header, counts):
    for row in of_header("macros", header):
        name, kind = row["name"], row["kind"]
        if name in NOT_DEFINED:
            continue
        counts["constants"] += 1
        if kind.startswith("const"):
            unit.same(f"decltype({name})", kind, f"{name} is a {kind}")
            if unit.cplusplus:
                unit.claim(f"{name} == {number(row['evaluated_value'])}", f"{name} is {row['evaluated_value']}")
            continue
        unit.lines.append(f'#ifndef {name}\n#error "{name} is not a macro"\n#endif')
        if row["evaluated_value"]:
            unit.claim(f"({name}) == {number(row['evaluated_value'])}", f"{name} is {row['evaluated_value']}")


def tag_of(name, typedefs, structs):
    """How C names a type: a tag without a typedef needs its keyword."""
    return name if name in typedefs else f"{structs[name]} {name}"


def claim_layouts(unit, header, counts):
    typedefs = {row["name"] for row in of_header("typedefs", header)}
    kinds, seen = {}, set()
    table = of_header("structs", header)
    for row in table:
        kinds.setdefault(row["struct"], row["kind"])
    for row in table:
        name, field = row["struct"], row["field"]
        spelled = name if unit.cplusplus else tag_of(name, typedefs, kinds)
        if name not in seen:
            seen.add(name)
            counts["structs and unions"] += 1
            align = "alignof" if unit.cplusplus else "_Alignof"
            unit.claim(f"sizeof({spelled}) == {row['struct_size']}", f"{name} has {row['struct_size']} bytes")
            unit.claim(f"{align}({spelled}) == {row['struct_align']}", f"{name} is aligned to {row['struct_align']}")
        if not field:
            continue
        counts["fields"] += 1
        where = f"{name}.{field}"
        unit.claim(f"offsetof({spelled}, {field}) == {row['offset']}", f"{where} is at {row['offset']}")
        unit.claim(f"sizeof((({spelled}*)0)->{field}) == {row['field_size']}", f"{where} has {row['field_size']} bytes")
        if row["type"] != "union{}":
            # C++ keeps a named union inside the structure that defines it.
            kind = re.sub(r"^union (\w+)$", rf"{name}::\1", row["type"])
            unit.same(f"decltype(std::declval<{name}&>().{field})", kind, f"{where} is a {row['type']}")


def claim_types(unit, header, counts):
    for row in of_header("typedefs", header):
        name, kind, underlying = row["name"], row["kind"], row["underlying"]
        counts["type names"] += 1
        if kind == "enum":
            unit.claim(f"sizeof({name}) == 4", f"{name} has 4 bytes")
            if unit.cplusplus:
                unit.claim(f"std::is_enum_v<{name}>", f"{name} is an enumeration")
        elif kind == "opaque struct" and underlying == "forward declaration":
            unit.lines.append(f"struct {name}* known_{name}(void);")
        elif kind in ("struct", "union"):
            if unit.cplusplus:
                unit.claim(f"std::is_{'union' if kind == 'union' else 'class'}_v<{name}>", f"{name} is a {kind}")
        else:
            unit.same(name, underlying, f"{name} is {underlying}")
        tag = re.fullmatch(r"(?:struct|union|enum) (\w+)", underlying)
        if tag:
            unit.same(name, underlying, f"{name} is {underlying}")


def claim_signatures(unit, declared, known, counts):
    for name in declared:
        row = known[name]
        parameters = row["parameters"] or "void"
        unit.same(f"decltype(&{name})", f"{row['return_type']} (*)({parameters})", f"signature of {name}")
        # Declaring it again fails where types or linkage differ.
        linkage = 'extern "C"' if unit.cplusplus else "extern"
        unit.lines.append(f"{linkage} {row['return_type']} {name}({parameters});")
        counts["function signatures"] += 1


def claim_overloads(unit, header, counts):
    """Claims that each overload can be chosen by its type; C has none."""
    for row in abi_tables.overloads():
        if row["header"] != header or not unit.cplusplus:
            continue
        name, parameters = row["function"], re.sub(r"\s*=[^,]*", "", row["parameters"])
        used = [kind for kind in TEMPLATE_TYPES if re.search(rf"\b{kind}\b", parameters)]
        for kind in used:
            parameters = re.sub(rf"\b{kind}\b", TEMPLATE_TYPES[kind], parameters)
        chosen = f"{name}<{', '.join(TEMPLATE_TYPES[kind] for kind in used)}>" if used else name
        pointer = f"{row['return_type']} (*)({parameters})"
        unit.claim(f"static_cast<{pointer}>(&{chosen}) != nullptr", f"overload of {name}")
        counts["overloads"] += 1


def check_unknown(report, header, declared, known):
    """Looks for what a header has beyond the tables, and for functions it lacks."""
    code = abi_tables.code_of(header)
    enumerators = {row["enumerator"] for row in abi_tables.rows("enums")}
    for body in re.findall(r"\benum\b[^;{]*\{(.*?)\}", code, flags=re.DOTALL):
        for name in re.findall(r"(\w+)(?:\s+ACL_DEPRECATED)?\s*=", body):
            if name not in enumerators:
                report.problem(f"{header}: enumerator {name} is not in the tables")
    macros = {row["name"] for row in abi_tables.rows("macros")}
    names = re.findall(r"^\s*#\s*define\s+(\w+)", code, flags=re.MULTILINE)
    for name in names + re.findall(r"\bconst\s+\w+\s+(ACL_\w+)\s*=", code):
        if name not in macros and not re.fullmatch(r"FOREBAY_ACL_\w+_H_", name):
            report.problem(f"{header}: constant {name} is not in the tables")
    types = {row["name"] for row in abi_tables.rows("typedefs")} | {row["struct"] for row in abi_tables.rows("structs")}
    types |= {row["enum_type"] for row in abi_tables.rows("enums")}
    definition = r"^\}\s*(\w+);|^typedef\b[^;{}]*?\(\*(\w+)\)|^typedef\s[^;{}()]*?(\w+);"
    names = re.findall(definition, code, flags=re.MULTILINE)
    for name in itertools.chain.from_iterable(names):
        if name and name not in types:
            report.problem(f"{header}: type {name} is not in the tables")
    for name, row in known.items():
        if row["header"] == header and name not in declared:
            report.problem(f"{header}: function {name} is missing")
    for name in declared:
        if name not in known:
            report.problem(f"{header}: function {name} is not in the tables")
        elif known[name]["header"] != header:
            report.problem(f"{header}: function {name} belongs into {known[name]['header']}")


def check_codes(report):
    """Holds the table of codes that the runtime is built from against the constants of the interface."""
    listed = {}
    for row in abi_tables.rows("macros"):
        # The codes of the graph engine are not the runtime's to explain, and 0 has three names.
        if row["name"].startswith("ACL_ERROR_") and "/ge_" not in row["header"] and row["name"] != "ACL_ERROR_NONE":
            listed[row["name"]] = number(row["evaluated_value"])
    listed["ACL_SUCCESS"] = 0
    text = (abi_tables.INCLUDE / "forebay" / "codes.def").read_text(encoding="utf-8")
    found = re.findall(r'^FOREBAY_CODE\(\w+, (\d+), "(\w+)"', text, flags=re.MULTILINE)
    table = [(name, int(value)) for value, name in found]
    for name, value in table:
        if listed.get(name) != value:
            report.problem(f"codes.def: {name} is {listed.get(name, 'unknown')} in the tables, not {value}")
    for name in sorted(set(listed) - {name for name, _ in table}):
        report.problem(f"codes.def: {name} is missing")
    values = [value for _, value in table]
    if values != sorted(set(values)):
        report.problem("codes.def: the numbers are not in order, or one is there twice")
    report.counts["codes"] += len(table)


def compile_text(compiler, cplusplus, text, extra):
    language = ["-x", "c++", "-std=c++17"] if cplusplus else ["-x", "c", "-std=c11"]
    unlimited = "-ferror-limit=0" if "clang" in os.path.basename(compiler) else "-fmax-errors=0"
    command = [compiler, *language, "-fsyntax-only", unlimited, "-I", str(abi_tables.INCLUDE), *extra, "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return [] if run.returncode == 0 else [line for line in run.stderr.splitlines() if "error" in line] or [run.stderr]


def agreement_units(report):
    """The texts that hold each header against the tables, with the counts of what they claim."""
    known = abi_tables.c_functions()
    functions = abi_tables.declared_functions()
    for table in ("functions", "enums", "macros", "structs", "typedefs"):
        for header in sorted({row["header"] for row in abi_tables.rows(table)} - set(abi_tables.headers())):
            report.problem(f"{header}: the header is missing")
    for header in abi_tables.headers():
        declared = [name for name, place in functions.items() if place == header]
        check_unknown(report, header, declared, known)
        for cplusplus in (False, True):
            counts = collections.Counter()
            unit = Unit(header, cplusplus)
            claim_enumerators(unit, header, counts)
            claim_constants(unit, header, counts)
            claim_layouts(unit, header, counts)
            claim_types(unit, header, counts)
            claim_signatures(unit, [name for name in declared if name in known], known, counts)
            claim_overloads(unit, header, counts)
            if cplusplus:
                report.counts += counts
            yield f"{header} against the tables", cplusplus, unit.text(), ["-Wno-deprecated-declarations"]


def inclusion_units():
    """Each header twice, and each pair in both orders."""
    names = abi_tables.headers()
    for pair in [(name, name) for name in names] + list(itertools.permutations(names, 2)):
        text = "".join(f'#include "{name}"\n' for name in pair) + "int main(void) { return 0; }\n"
        for cplusplus in (False, True):
            yield " then ".join(pair), cplusplus, text, STRICT


def compilers(named):
    pairs = [pair.split(",") for pair in named] or [["gcc", "g++"], ["clang", "clang++"]]
    found = [pair for pair in pairs if all(shutil.which(name) for name in pair)]
    if named and len(found) < len(pairs) or not found:
        sys.exit("check_headers: a compiler is missing: " + " ".join(",".join(pair) for pair in pairs))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", default=[], metavar="CC,CXX")
    pairs = compilers(parser.parse_args().compiler)
    report = Report()
    check_codes(report)
    units = [*agreement_units(report), *inclusion_units()]
    jobs = [(pair[cplusplus], *unit) for pair in pairs for unit in units for cplusplus in [unit[1]]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: compile_text(job[0], job[2], job[3], job[4]), jobs)
        for (compiler, what, cplusplus, _, _), errors in zip(jobs, results):
            for error in errors:
                report.problem(f"{what}, {compiler}, {'C++17' if cplusplus else 'C11'}: {error}")
    for problem in report.problems:
        print(problem)
    counted = ", ".join(f"{count} {what}" for what, count in report.counts.items())
    used = " and ".join(pair[0] for pair in pairs)
    verdict = f"{len(report.problems)} problems" if report.problems else "all agree"
    print(f"check_headers: {verdict}: {len(abi_tables.headers())} headers, {counted}; "
          f"{len(jobs)} compilations with {used}")
    return bool(report.problems)


if __name__ == "__main__":
    sys.exit(main())
