#!/usr/bin/env python3
"""Tests of the lint scripts: for every rule what it finds, and what it lets pass."""

import sys
import unittest

import document_tests
import faults
import layers
import rules
import source


def found(path, text):
    return [(finding.rule, finding.line) for finding in rules.check_file(path, text)]


def layer_rules(path, include, others=()):
    texts = {other: "" for other in others}
    texts[path] = f"#include {include}\n"
    return [finding.rule for finding in layers.check(texts)]


class DocumentTests(unittest.TestCase):
    TABLE = "| what | test |\n|---|---|\n| a | `A.B`, `A.C` |\n| b | none |\n\n| what | other |\n|---|---|\n| c | `A.D` |\n"

    def test_names_that_are_no_test_and_rows_without_one_are_found(self):
        self.assertEqual(document_tests.missing(self.TABLE, {"A.B"}), [(3, "A.C"), (4, None)])
        self.assertEqual(document_tests.missing(self.TABLE, {"A.B", "A.C"}), [(4, None)])

    def test_tests_in_comments_are_none(self):
        self.assertEqual(document_tests.tests_in("TEST_F(A, B) {}\n// TEST(A, C)\nTEST(\n    A, D) {}\n"), {"A.B", "A.D"})


class Faults(unittest.TestCase):
    CODES = ('FOREBAY_CODE(kSuccess, 0, "ACL_SUCCESS", "fine")\nFOREBAY_CODE(kA, 107006, "ACL_A", "a")\n'
             'FOREBAY_CODE(kB, 507001, "ACL_B", "b")\nFOREBAY_CODE(kC, 300000, "ACL_C", "c, and more")\n')
    TEST = f"TEST({faults.ANY_CODE_TEST.replace('.', ', ')}) {{ F(ACL_A); aclX(); Inject(\"bee@p=1\"); }}\n"

    def look(self, source_text, table, test=TEST):
        texts = {faults.CODES: self.CODES, faults.TABLE: table, "src/a.cc": source_text,
                 faults.INJECTIONS: 'FOREBAY_INJECTION(kBee, "bee", kTask, kB, "a bee stings")\n',
                 "tests/conformance/a_test.cc": test}
        look = faults.Faults(texts)
        page = look.page()
        return page, [finding.text for finding in look.findings]

    def test_page_has_what_is_returned_and_why_the_rest_is_not(self):
        page, findings = self.look("return Code::kA;", f"107006 | `aclX` | {faults.ANY_CODE_TEST}\n")
        self.assertEqual(findings, [])
        self.assertIn("| 107006 | `ACL_A` | `aclX` |", page)
        self.assertIn("| 507001 | `ACL_B` | `FOREBAY_INJECT=bee`: a bee stings |", page)
        self.assertIn("| 300000 | `ACL_C` | c, and more | nothing is stored |", page)

    def test_rows_that_are_wrong_are_found(self):
        name = faults.ANY_CODE_TEST
        for code, table, test, text in [
                ("return Code::kA;", "", self.TEST, "nothing says how to provoke 107006 ACL_A"),
                ("", "107006 | x\n", self.TEST, "not of the form"), ("", "1 | x | y\n", self.TEST, "not of the form"),
                ("", "107006 | x | A.B\n", self.TEST, "there is no test A.B"),
                ("", f"300000 | x | {name}\n", self.TEST, "does not name 300000"),
                ("", f"107006 | `aclY` | {name}\n", self.TEST, "does not call aclY"),
                ("// Code::kA", "", self.TEST, "0 rows of NOT_RETURNED are about 107006"),
                ("", f"107006 | x | {name}\n", self.TEST.replace("bee@", "wasp@"), "no conformance test injects bee")]:
            self.assertTrue(any(text in finding for finding in self.look(code, table, test)[1]), text)


class Blank(unittest.TestCase):
    def test_comments_and_strings_go_and_lines_stay(self):
        text = 'a; // throw\n/* new\nnew */ b = "goto \\" goto"; c = \'"\'; d = 1\'000; e\n'
        blanked = source.blank(text)
        self.assertEqual(blanked.count("\n"), text.count("\n"))
        self.assertEqual(blanked.split(), ["a;", "b", "=", ";", "c", "=", ";", "d", "=", "1'000;", "e"])

    def test_raw_strings_go_whole(self):
        self.assertEqual(source.blank('x = R"k(" throw )" )k"; y').split(), ["x", "=", ";", "y"])


class Rules(unittest.TestCase):
    def test_locks_only_in_base(self):
        for code in ("std::mutex m;", "std::lock_guard lock(m);", "std::condition_variable c;", "pthread_mutex_lock(&m);"):
            self.assertEqual(found("src/sip/a.cc", "\n" + code + "\n"), [("raw-lock", 2)], code)
            self.assertEqual(found("src/base/a.cc", code), [])
            self.assertEqual(found("tests/contract/a.cc", code), [])

    def test_threads_only_in_base(self):
        for code in ("std::thread t;", "std::jthread t(run);", "std::async(run);", "pthread_create(&t, 0, run, 0);"):
            self.assertEqual(found("src/device/a.cc", code), [("raw-thread", 1)], code)
            self.assertEqual(found("src/base/a.cc", code), [])
        self.assertEqual(found("src/device/a.cc", "std::thread::hardware_concurrency(); std::this_thread::yield();"), [])

    def test_sleeps_only_in_watchdogs(self):
        for code in ("std::this_thread::sleep_for(1s);", "usleep(1);", "nanosleep(&t, 0);", "sleep(1);"):
            self.assertEqual(found("tests/integration/a.cc", code), [("sleep", 1)], code)
            self.assertEqual(found("tests/integration/watchdog_test.cc", code), [])
        self.assertEqual(found("src/base/a.cc", "queue.sleep(1); bool asleep(int);"), [])

    def test_exceptions_only_at_the_c_boundary(self):
        for code in ("throw 1;", "catch (...) {}", "try {"):
            self.assertEqual(found("src/runtime/a.cc", code), [("exception", 1)], code)
            self.assertEqual(found("src/acl/guard.h", code), [])
            self.assertEqual(found("examples/digits/a.cc", code), [])
        self.assertEqual(found("src/runtime/a.cc", "bool try_it; // throw"), [])

    def test_naked_memory(self):
        self.assertEqual(found("src/sip/a.cc", "auto* a = new int;"), [("naked-new", 1)])
        self.assertEqual(found("src/sip/a.cc", "auto* a = new (std::nothrow) int;"), [("naked-new", 1)])
        self.assertEqual(found("tests/a.cc", "delete a;\ndelete[] b;"), [("naked-delete", 1), ("naked-delete", 2)])
        self.assertEqual(found("src/sip/a.cc", "#include <new>\nnew (memory) Header{};\nA(const A&) = delete;\n"), [])

    def test_new_that_is_owned_at_once(self):
        self.assertEqual(found("src/sip/a.cc", "return std::unique_ptr<Fiber>(new Fiber(x));"), [])
        self.assertEqual(found("src/sip/a.cc", "std::unique_ptr<Fiber> fiber(new Fiber(x));"), [])
        self.assertEqual(found("src/sip/a.cc", "std::unique_ptr<A> a; b = Take(new A);"), [("naked-new", 1)])

    def test_goto(self):
        self.assertEqual(found("src/sip/a.cc", "goto out;"), [("goto", 1)])

    def test_leftovers_and_machine_paths_in_any_file(self):
        word = "TO" + "DO"
        self.assertEqual(found("docs/a.md", f"one\n{word}: two\n"), [("leftover", 2)])
        for place in ("/wo" + "rk/main", "/tm" + "p/bash_jobs", "/ho" + "me/me/a"):
            self.assertEqual(found("docs/a.md", f"in {place} there"), [("machine-path", 1)], place)
        self.assertEqual(found("docs/a.md", "${prefix}/wo" + "rk/a, frame" + "wo" + "rk/b, a/wo" + "rk/c"), [])

    def test_length(self):
        self.assertEqual(found("src/sip/a.cc", "\n" * 450), [])
        self.assertEqual(found("src/sip/a.cc", "\n" * 451), [("file-length", 451)])
        self.assertEqual(found("include/acl/a.def", "\n" * 451), [])


class Layers(unittest.TestCase):
    def test_own_layer_and_the_one_below(self):
        for layer, below in zip(layers.CHAIN, layers.CHAIN[1:]):
            for used in (layer, below, "base", "types"):
                self.assertEqual(layer_rules(f"src/{layer}/a.cc", f'"forebay/{used}/b.h"'), [], (layer, used))

    def test_neither_up_nor_past_one(self):
        for path, used in (("runtime", "acl"), ("device", "driver"), ("acl", "sip"), ("runtime", "driver"),
                           ("sip", "device"), ("base", "types"), ("types", "device")):
            self.assertEqual(layer_rules(f"src/{path}/a.cc", f'"forebay/{used}/b.h"'), ["layers"], (path, used))
            self.assertEqual(layer_rules(f"src/{path}/a.cc", f"<forebay/{used}/b.h>"), ["layers"], (path, used))

    def test_public_headers_from_inside(self):
        self.assertEqual(layer_rules("src/device/a.cc", '"forebay/kernel_abi.h"'), [])
        self.assertEqual(layer_rules("src/device/a.cc", '"forebay/stream.h"'), ["layers"])
        self.assertEqual(layer_rules("src/runtime/a.cc", '"forebay/stream.h"'), [])
        self.assertEqual(layer_rules("src/acl/a.cc", '"acl/acl.h"'), [])
        self.assertEqual(layer_rules("src/runtime/a.cc", '"acl/acl.h"'), ["layers"])

    def test_private_headers(self):
        self.assertEqual(layer_rules("src/sip/x/a.cc", '"b.h"', ["src/sip/x/b.h"]), [])
        self.assertEqual(layer_rules("src/sip/x/a.cc", '"y/b.h"', ["src/sip/y/b.h"]), [])
        self.assertEqual(layer_rules("src/sip/a.cc", '"../driver/b.h"', ["src/driver/b.h"]), ["layers"])

    def test_libraries_stay_out_of_interfaces(self):
        self.assertEqual(layer_rules("src/sip/include/forebay/sip/a.h", "<nlohmann/json.hpp>"), ["layers"])
        self.assertEqual(layer_rules("src/sip/a.cc", "<nlohmann/json.hpp>"), [])
        self.assertEqual(layer_rules("src/base/include/forebay/base/a.h", "<fmt/format.h>"), [])

    def test_public_headers_stand_alone(self):
        self.assertEqual(layer_rules("include/forebay/a.h", "<vector>"), [])
        self.assertEqual(layer_rules("include/forebay/a.h", '"forebay/b.h"', ["include/forebay/b.h"]), [])
        self.assertEqual(layer_rules("include/forebay/a.h", '"forebay/base/b.h"', ["src/base/include/forebay/base/b.h"]),
                         ["public-headers"])
        self.assertEqual(layer_rules("include/acl/a.h", "<fmt/format.h>"), ["public-headers"])

    def test_unknown_layer(self):
        self.assertEqual(layer_rules("src/extra/a.cc", "<vector>"), ["layers"])

    def test_includes_in_comments_do_not_count(self):
        self.assertEqual(layers.includes_of('// #include "a.h"\n/*\n#include "b.h"\n*/\n# include <c>\n'), [(5, "c", False)])


class Allow(unittest.TestCase):
    def test_excuses_one_rule_of_one_file(self):
        allow = source.AllowList("# comment\ngoto | src/a.cc | a reason\n")
        findings = [source.Finding("goto", "src/a.cc", 1, ""), source.Finding("goto", "src/b.cc", 1, "")]
        self.assertEqual(allow.filter(findings, {"goto"}), findings[1:])

    def test_needs_a_reason_and_something_to_excuse(self):
        for text in ("goto | src/a.cc |\n", "goto | src/a.cc\n", "goto | src/a.cc | a reason\n"):
            self.assertEqual([f.rule for f in source.AllowList(text).filter([], {"goto"})], ["allow"], text)
        self.assertEqual(source.AllowList("goto | src/a.cc | of another script\n").filter([], {"layers"}), [])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
