"""What the lint scripts share: the files to look at, source text without comments, and the list of exceptions."""

import collections
import os
import re
import subprocess
import sys

ALLOW_FILE = "tools/lint/allow.txt"
CODE_SUFFIXES = (".h", ".hpp", ".c", ".cc", ".cpp", ".def")

Finding = collections.namedtuple("Finding", "rule path line text")


def repository_root():
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def listed_files(root):
    """Paths of the files that git tracks or would track, relative to the root."""
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
    return sorted(path for path in set(output.split("\0")) if path and os.path.isfile(os.path.join(root, path)))


def is_code(path):
    return path.endswith(CODE_SUFFIXES)


def read_text(root, path):
    """The text of a file, or None for a binary one."""
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    return None if b"\0" in data else data.decode(errors="replace")


# Raw strings, strings, character literals (not the separators of digits), and comments, whichever begins first.
_TOKEN = re.compile(
    r'(?P<raw>\bu?8?[UL]?R"(?P<end>[^(\s\\]{0,16})\(.*?\)(?P=end)")'
    r'|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|(?P<digits>\b[0-9][0-9a-zA-Z_.']*)"
    r"|(?P<char>'(?:\\.|[^'\\\n])+')"
    r"|(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)",
    re.DOTALL)


def blank(text, keep_strings=False):
    """C or C++ text with comments, and strings unless kept, made blank. Every line stays where it is."""

    def replace(match):
        if match.group("digits") or (keep_strings and not match.group("comment")):
            return match.group()
        return re.sub(r"[^\n]", " ", match.group())

    return _TOKEN.sub(replace, text)


class AllowList:
    """Exceptions, one a line: rule | path | reason. A line that is malformed or excuses nothing is a finding itself."""

    def __init__(self, text):
        self._entries = {}
        self._malformed = []
        self._used = set()
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            parts = [part.strip() for part in line.split("|", 2)]
            if len(parts) == 3 and all(parts):
                self._entries[parts[0], parts[1]] = number
            else:
                self._malformed.append(Finding("allow", ALLOW_FILE, number, "not of the form: rule | path | reason"))

    @classmethod
    def load(cls, root):
        path = os.path.join(root, ALLOW_FILE)
        if not os.path.exists(path):
            return cls("")
        with open(path, encoding="utf-8") as file:
            return cls(file.read())

    def filter(self, findings, rules):
        """The findings that no line excuses, and complaints about lines for `rules` that excuse nothing."""
        kept = []
        for finding in findings:
            key = finding.rule, finding.path
            if key in self._entries:
                self._used.add(key)
            else:
                kept.append(finding)
        for key, number in self._entries.items():
            if key[0] in rules and key not in self._used:
                kept.append(Finding("allow", ALLOW_FILE, number, f"excuses nothing any more: {key[0]} | {key[1]}"))
        return kept + self._malformed


def report(findings):
    """Prints the findings as a compiler would; the exit status."""
    for finding in sorted(findings, key=lambda f: (f.path, f.line)):
        print(f"{finding.path}:{finding.line}: {finding.text} [{finding.rule}]", file=sys.stderr)
    if findings:
        print(f"{len(findings)} findings. An exception needs a line with its reason in {ALLOW_FILE}.", file=sys.stderr)
    return 1 if findings else 0
