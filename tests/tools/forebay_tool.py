#!/usr/bin/env python3
"""Runs the command `forebay` as people do.

Usage: forebay_tool.py FOREBAY
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

FOREBAY = None
PARAMETERS = ["POOL_GROWTH", "POOL_REMAP", "POOL_REMAP_SLACK", "POOL_PLAN"]


def run(*arguments, status=0):
    result = subprocess.run([FOREBAY, *arguments], capture_output=True, text=True, timeout=100)
    assert result.returncode == status, f"{arguments}: {result.returncode}, {result.stdout}, {result.stderr}"
    return result.stdout if status == 0 else result.stderr


class Forebay(unittest.TestCase):
    def trace(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".trace", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text)
        return file.name

    def test_help_and_version(self):
        self.assertIn("tune-memory", run("-h"))
        self.assertIn("TRACE", run("tune-memory", "-h"))
        self.assertRegex(run("-v"), r"^forebay \d+\.\d+\.\d+\n$")

    def test_mistakes_are_named(self):
        for arguments, text in [([], "tune-memory"), (["tune"], '"tune"'), (["tune-memory"], "name a trace"),
                                (["tune-memory", "--fast", "x"], '"--fast"'), (["tune-memory", "a", "b"], '"b"'),
                                (["tune-memory", "--lag"], "--lag"), (["tune-memory", "--lag", "1x", "a"], '"1x"')]:
            self.assertIn(text, run(*arguments, status=2))

    def test_a_bad_trace_is_named_with_its_line(self):
        path = self.trace("a 0 1024 0\nf 0 0\nf 0 0\n")
        self.assertIn(f"{path}:3: block 0 is not live", run("tune-memory", path, status=1))
        self.assertIn("nothing is allocated", run("tune-memory", self.trace("i\n"), status=1))
        self.assertIn("/no/such", run("tune-memory", "/no/such", status=1))

    def test_every_code_is_explained_by_number_and_by_name(self):
        table = os.path.join(os.path.dirname(__file__), "../../include/forebay/codes.def")
        with open(table, encoding="utf-8") as file:
            rows = re.findall(r'^FOREBAY_CODE\(\w+, (\d+), "(\w+)", "(.*)"\)$', file.read(), re.M)
        self.assertGreater(len(rows), 200)
        listed = run("explain").splitlines()
        self.assertEqual([line.split()[:2] for line in listed], [[number, name] for number, name, _ in rows])
        texts = run("explain", *(number for number, _, _ in rows)).split("\n\n")
        self.assertEqual(len(texts), len(rows))
        for (number, name, meaning), text in zip(rows, texts):
            lines = text.rstrip("\n").split("\n")
            self.assertEqual(lines[0], f"{number} {name}")
            self.assertLessEqual(max(map(len, lines)), 100, text)
            for part in (meaning, "  Causes ", "  What to do "):
                self.assertIn(re.sub(r"\s+", " ", part), re.sub(r"\s+", " ", text))
        self.assertEqual(run("explain", *(name for _, name, _ in rows)).split("\n\n"), texts)

    def test_a_code_may_be_named_in_short(self):
        expected = run("explain", "507015")
        for name in ("AICORE_EXCEPTION", "aicore_exception", "acl_error_rt_aicore_exception"):
            self.assertEqual(run("explain", name), expected)
        self.assertIn("FOREBAY_INJECT=aicore_exception", expected)
        self.assertIn("api_error@call=aclrtMalloc,code=107002", run("explain", "107002"))
        # A short name that two codes have is both.
        self.assertRegex(run("explain", "INTERNAL_ERROR"), r"(?s)^500000 .*\n\n507000 ")

    def test_an_unknown_code_is_told_with_the_nearest(self):
        self.assertIn("507057 ACL_ERROR_RT_SUSPECT_REMOTE_ERROR", run("explain", "507058", status=1))
        self.assertIn("507015 ACL_ERROR_RT_AICORE_EXCEPTION", run("explain", "AICORE_EXEPTION", status=1))
        self.assertIn("507013 ACL_ERROR_RT_SYS_DMA", run("explain", "DMA", status=1))
        self.assertIn('"-x"', run("explain", "-x", status=2))
        both = subprocess.run([FOREBAY, "explain", "0", "nothing"], capture_output=True, text=True, timeout=100)
        self.assertEqual((both.returncode, both.stdout[:13]), (1, "0 ACL_SUCCESS"))

    def tune(self, text, *options):
        output = run("tune-memory", *options, self.trace(text))
        rows = [line.split() for line in output.splitlines() if re.match(r"^ +\d", line)]
        best = dict(re.findall(r"^FOREBAY_(\w+)=(\d+)$", output, re.M))
        self.assertEqual(list(best), PARAMETERS)
        return rows, best

    def test_settings_are_compared(self):
        # Each step fragments what a heap keeps, and repeats, so that a plan is best.
        step = "".join(f"a {i} {(i % 5 + 1) * 3000000 + i * 4096} 0\n" for i in range(20))
        step += "".join(f"f {i} 0\n" for i in range(0, 20, 2))
        step += "".join(f"a {i + 20} 17000000 0\n" for i in range(8))
        step += "".join(f"f {i} 0\n" for i in [*range(1, 20, 2), *range(20, 28)]) + "y 0\ni\n"
        rows, best = self.tune(step * 8)
        self.assertEqual(len(rows), 24)
        for row in rows:
            self.assertGreaterEqual(float(row[4]), 1.0, row)
            self.assertGreaterEqual(float(row[4]), float(row[5]), row)
            self.assertGreater(int(row[6]), 0, row)
        wastes = [float(row[5]) for row in rows]
        chosen = [row for row in rows if row[0] == best["POOL_GROWTH"] and row[1] == best["POOL_REMAP"]
                  and row[2] in ("-", best["POOL_REMAP_SLACK"]) and row[3] == best["POOL_PLAN"]]
        self.assertEqual(len(chosen), 1)
        self.assertEqual(best["POOL_PLAN"], "1")
        self.assertLessEqual(float(chosen[0][5]), min(wastes) + 0.0101)
        self.assertGreater(max(wastes), min(wastes) + 0.05)

    def test_blocks_without_a_stream(self):
        rows, _ = self.tune("a 0 4194304 -\nf 0 -\na 1 4194304 3\nf 1 3\n", "--lag", "0")
        self.assertTrue(rows)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    FOREBAY = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
