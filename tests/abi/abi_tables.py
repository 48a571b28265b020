"""What the interface tables say and what the headers declare, for the two checks of this folder."""
import csv
import pathlib
import re

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = REPOSITORY / "include"
TABLES = pathlib.Path(__file__).resolve().parent / "interface"


def rows(table):
    with open(TABLES / f"{table}.tsv", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def c_functions():
    """The functions with C linkage, by name; the tables also list overloads that C++ adds to them."""
    return {row["function"]: row for row in rows("functions") if row["linkage"].startswith("extern")}


def overloads():
    """The functions that exist in C++ only, which the library does not export."""
    return [row for row in rows("functions") if not row["linkage"].startswith("extern")]


def headers():
    """The AscendCL headers of the project, as a program includes them."""
    return sorted(str(path.relative_to(INCLUDE)) for path in (INCLUDE / "acl").rglob("*.h"))


def code_of(header):
    """The text of a header without its comments."""
    text = (INCLUDE / header).read_text(encoding="utf-8")
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def declared_functions():
    """The exported functions, each with the header that declares it."""
    found = {}
    for header in headers():
        code = re.sub(r"^\s*#.*$|ACL_DEPRECATED_MESSAGE\([^)]*\)", "", code_of(header), flags=re.MULTILINE)
        for name in re.findall(r"\bACL_FUNC_VISIBILITY\b[^;(]*?\b(\w+)\s*\(", code):
            found[name] = header
    return found


def not_built():
    """The functions that the sources say are not built."""
    found = set()
    for source in sorted((REPOSITORY / "src" / "acl").glob("not_built*.cc")):
        found |= set(re.findall(r'\bNotBuilt\("(\w+)"\)', source.read_text(encoding="utf-8")))
    return found
