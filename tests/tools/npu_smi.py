#!/usr/bin/env python3
"""Runs npu-smi beside programs that use devices, and takes its output apart as scripts do.

Usage: npu_smi.py NPU_SMI CHILD
"""
import json
import os
import re
import signal
import subprocess
import sys
import unittest

NPU_SMI, CHILD = None, None
ENVIRONMENT = {**os.environ, "FOREBAY_DEVICES": "64", "FOREBAY_DEVICE_MEMORY": "512", "FOREBAY_SOC": "Ascend910B2"}

# Four devices that other programs of this machine, which npu-smi shows too, will hardly use.
FIRST = 8 + os.getpid() % 14 * 4
OURS = {FIRST, FIRST + 1, FIRST + 2, FIRST + 3}


def npu_smi(*arguments, status=0):
    result = subprocess.run([NPU_SMI, *arguments], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert result.returncode == status, f"npu-smi {arguments} ended with {result.returncode}: {result.stderr}"
    return result.stdout if status == 0 else result.stderr


def devices():
    """Our part of the table of `npu-smi info`: id -> name, health, AI cores in percent, memory used and total."""
    table = npu_smi("info").split("Process id")[0]
    pattern = (r"^\|\s+(\d+)\s+(\S+)\s+\|\s+(\w+)\s+\|\s+(\S+)\s+(\S+)\s+\d+\s*/\s*\d+\s+\|\n"
               r"\|\s+0\s+\|\s+\S+\s+\|\s+(\d+)\s+\d+\s*/\s*\d+\s+(\d+)\s*/\s*(\d+)\s+\|$")
    return {int(row[0]): {"name": row[1], "health": row[2], "power": row[3], "temperature": row[4],
                          "cores": int(row[5]), "used": int(row[6]), "total": int(row[7])}
            for row in re.findall(pattern, table, re.M) if int(row[0]) in OURS}


def processes():
    """(npu, pid) -> memory, from the same output, for our devices; `idle` are those that say that nothing runs."""
    table = npu_smi("info").split("Process id")[1]
    running = {(int(npu), int(pid)): int(memory) for npu, pid, memory
               in re.findall(r"^\|\s+(\d+)\s+0\s+\|\s+(\d+)\s+\|\s+\S*\s+\|\s+(\d+)\s+\|$", table, re.M)
               if int(npu) in OURS}
    idle = {int(npu) for npu in re.findall(r"No running processes found in NPU\s+(\d+)\b", table)}
    return running, idle & OURS


def details(kind, npu):
    lines = [line for line in npu_smi("info", "-t", kind, "-i", str(npu), "-c", "0").splitlines() if ":" in line]
    return {key.strip(): value.strip() for key, value in (line.split(":", 1) for line in lines)}


class Child:
    def __init__(self, device):
        self.process = subprocess.Popen([CHILD, str(FIRST + device)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=ENVIRONMENT)
        self.answer("ready")

    def answer(self, expected):
        line = self.process.stdout.readline().strip()
        assert line == expected, f"the program answered {line!r}, not {expected!r}"

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.answer(command)

    def end(self, how=None):
        if how is not None:
            self.process.send_signal(how)
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class NpuSmi(unittest.TestCase):
    def child(self, device):
        child = Child(device)
        self.addCleanup(lambda: child.process.poll() is None and child.end())
        return child

    def test_idle_devices_have_the_configured_part_and_memory(self):
        self.assertEqual(set(devices()), OURS)
        for device in devices().values():
            self.assertEqual(device, {"name": "910B2", "health": "OK", "power": "NA", "temperature": "NA", "cores": 0,
                                      "used": 0, "total": 512})
        self.assertEqual(processes(), ({}, OURS))

    def test_every_line_of_the_table_is_as_wide(self):
        self.assertEqual({len(line) for line in npu_smi("info").splitlines()}, {98})

    def test_a_process_is_seen_with_its_memory_until_it_resets_the_device(self):
        child = self.child(2)
        key = (FIRST + 2, child.process.pid)
        running, idle = processes()
        self.assertEqual(list(running), [key])
        self.assertEqual(idle, OURS - {FIRST + 2})
        child.tell("allocate")
        self.assertGreaterEqual(processes()[0][key], running[key] + 64)
        self.assertEqual(devices()[FIRST + 2]["used"], processes()[0][key])
        self.assertEqual(devices()[FIRST + 1]["used"], 0)
        child.tell("reset")
        self.assertEqual(processes(), ({}, OURS))

    def test_a_killed_process_is_gone(self):
        child = self.child(0)
        self.assertIn((FIRST, child.process.pid), processes()[0])
        child.end(signal.SIGKILL)
        self.assertEqual(processes(), ({}, OURS))
        self.assertEqual(devices()[FIRST]["used"], 0)

    def test_a_fork_has_no_device_of_its_own(self):
        child = self.child(0)
        child.process.stdin.write("fork\n")
        child.process.stdin.flush()
        fork = int(child.process.stdout.readline())
        self.addCleanup(os.kill, fork, signal.SIGKILL)
        child.answer("fork")
        self.assertEqual(list(processes()[0]), [(FIRST, child.process.pid)])
        child.end(signal.SIGKILL)
        self.assertEqual(processes(), ({}, OURS))

    def test_processes_of_one_device_add_up(self):
        first, second = self.child(1), self.child(1)
        running, _ = processes()
        self.assertEqual(set(running), {(FIRST + 1, first.process.pid), (FIRST + 1, second.process.pid)})
        self.assertEqual(devices()[FIRST + 1]["used"], sum(running.values()))
        first.end()
        self.assertEqual(set(processes()[0]), {(FIRST + 1, second.process.pid)})

    def test_cores_are_busy_while_a_kernel_runs(self):
        child = self.child(3)
        self.assertEqual(devices()[FIRST + 3]["cores"], 0)
        child.tell("busy")
        self.assertEqual(details("usages", FIRST + 3)["Aicore Usage Rate(%)"], "100")
        self.assertEqual(details("usages", FIRST)["Aicore Usage Rate(%)"], "0")
        child.tell("idle")
        self.assertEqual(devices()[FIRST + 3]["cores"], 0)

    def test_a_lost_device_is_critical(self):
        if os.environ.get("FOREBAY_DEVICE_MODE") == "inline":
            self.skipTest("an inline device has no process to be killed")
        child = self.child(0)
        # A child of the application, found as its only one.
        pid = child.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as children:
            os.kill(int(children.read()), signal.SIGKILL)
        while devices()[FIRST]["health"] == "OK":
            pass  # until the application has noticed; the test's time-out is the limit
        self.assertEqual(devices()[FIRST]["health"], "Critical")
        self.assertEqual(details("health", FIRST)["Health Status"], "Critical")
        self.assertEqual(devices()[FIRST + 1]["health"], "OK")
        child.end(signal.SIGKILL)

    def test_lists(self):
        self.assertRegex(npu_smi("info", "-l"), r"Total Count +: 64\n")
        self.assertEqual(re.findall(r"NPU ID\s*:\s*(\d+)", npu_smi("info", "-l")), [str(npu) for npu in range(64)])
        mapping = npu_smi("info", "-m").strip().splitlines()
        self.assertEqual(mapping[0].split("  ")[0], "NPU ID")
        rows = [line.strip().split(maxsplit=3) for line in mapping[1:]]
        self.assertEqual([row[:3] for row in rows], [[str(npu), "0", str(npu)] for npu in range(64)])
        self.assertEqual({row[3] for row in rows if int(row[0]) in OURS}, {"Ascend 910B2"})

    def test_details(self):
        self.assertEqual(details("board", FIRST + 1)["Chip Name"], "910B2")
        self.assertEqual(details("memory", FIRST + 1)["HBM Capacity(MB)"], "512")
        self.assertEqual(details("usages", FIRST + 1)["HBM Usage Rate(%)"], "0")
        self.assertEqual(details("usages", FIRST + 1)["Chip Count"], "1")
        self.assertEqual(details("health", FIRST + 1)["Health Status"], "OK")
        self.assertIn("No process in device", npu_smi("info", "-t", "proc-mem", "-i", str(FIRST + 1)))
        child = self.child(1)
        self.assertEqual(details("proc-mem", FIRST + 1)["Process id"], str(child.process.pid))

    def test_json(self):
        child = self.child(1)
        document = json.loads(npu_smi("info", "--json"))
        self.assertEqual([device["npu"] for device in document["devices"]], list(range(64)))
        device = document["devices"][FIRST + 1]
        self.assertEqual((device["name"], device["memory_total_mb"], device["power_w"]), ("Ascend910B2", 512, None))
        process = device["processes"][0]
        self.assertEqual((process["pid"], process["name"]), (child.process.pid, "npu_smi_child"))
        self.assertEqual(process["streams"], 2)  # the context's own, and the one made
        self.assertEqual(process["memory_mb"], device["memory_used_mb"])

    def test_looking_leaves_no_trace_in_the_process(self):
        child = self.child(1)
        descriptors = set(os.listdir(f"/proc/{child.process.pid}/fd"))
        before = json.loads(npu_smi("info", "--json"))["devices"][FIRST + 1]
        self.assertEqual(json.loads(npu_smi("info", "--json"))["devices"][FIRST + 1], before)
        self.assertEqual(set(os.listdir(f"/proc/{child.process.pid}/fd")), descriptors)

    def test_mistakes_are_named(self):
        for arguments, text in [(["info", "-i", "64"], "no device 64"), (["info", "-t", "volt"], "volt"),
                                (["info", "-t"], "-t needs a value"), (["set"], "set"), (["info", "-c", "1"], "chip"),
                                (["info", "-i", "x"], "x")]:
            self.assertIn(text, npu_smi(*arguments, status=1))
        ENVIRONMENT["FOREBAY_DEVICES"] = "many"
        try:
            self.assertIn("FOREBAY_DEVICES", npu_smi("info", status=1))
        finally:
            ENVIRONMENT["FOREBAY_DEVICES"] = "64"
        self.assertIn("info", npu_smi("-h"))
        self.assertRegex(npu_smi("-v"), r"\d+\.\d+")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    NPU_SMI, CHILD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
