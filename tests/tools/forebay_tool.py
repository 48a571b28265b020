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
