# SPDX-License-Identifier: Apache-2.0
"""Defects that kernels on xeus 2.4.1 are known for, each with the tests that hold it here; what no other file
asserts is tested below. test_known_defects.py KERNEL [unittest options]"""

import ast
import json
import os
import time
import unittest

from case import Own, Shared
from harness import PATIENCE, SOON

# (number, the defect, FILE::FUNCTION of each test)
DEFECTS = [
    ("D1", "a C++ exception out of a cell leaves its client without a reply",
     "test_server_cells.py::test_an_exception_of_ours_still_has_a_reply",
     "test_server_questions.py::test_each_request_has_one_reply_and_is_bracketed"),
    ("D2", "text that is not UTF-8 ends the request that shows it without a reply",
     "test_server_cells.py::test_invalid_utf8_is_replaced", "test_kernel.py::test_invalid_utf8",
     "test_server_abuse.py::test_half_characters_are_replaced_and_answered",
     "test_known_defects.py::test_half_characters_wherever_a_cell_puts_them",
     "test_known_defects.py::test_json_that_no_front_end_reads"),
    ("D3", "SIGINT ends a kernel at rest",
     "test_server_stops.py::test_an_idle_kernel_survives_and_forgets", "test_kernel.py::test_idle_interrupts_change_nothing"),
    ("D4", "interrupt_reply has no status, and the interpreter is not notified",
     "test_server_stops.py::test_a_running_cell_ends_fast", "test_kernel.py::test_each_kind_of_work_ends_fast"),
    ("D5", "shutdown_reply has no status", "test_server_ends.py::test_shutdown_is_orderly"),
    ("D6", "messages named shutdown and interrupt are published, which no protocol knows",
     "test_server_stops.py::test_a_running_cell_ends_fast", "test_known_defects.py::test_a_shutdown_publishes_states_alone"),
    ("D7", "input_request says pwd for password, so that passwords are seen",
     "test_server_stops.py::test_input_and_password", "test_kernel.py::test_input_getpass_and_interrupt"),
    ("D8", "an interrupt of input() waits for the answer",
     "test_server_stops.py::test_interrupted_input_ends_and_late_answers_are_dropped",
     "test_kernel.py::test_interrupted_input"),
    ("D9", "history has no sessions and lines, keeps no outputs, and gives other tuples than it is asked for",
     "test_server_questions.py::test_history", "test_kernel.py::test_history_with_output"),
    ("D10", "history takes what a user searches for as a regular expression: odd ones throw, long cells overflow the stack",
     "test_server_questions.py::test_history", "test_known_defects.py::test_odd_searches_of_long_cells"),
    ("D11", "name and value of an error are exchanged",
     "test_server_cells.py::test_error_is_one_message_with_its_names_in_order"),
    ("D12", "cells queued after a failed one have no busy and idle status, take 50 ms each, some run, and later ones are aborted too",
     "test_server_stops.py::test_queued_cells_die_with_a_failed_one",
     "test_server_stops.py::test_a_request_sent_after_the_reply_runs",
     "test_long_sessions.py::test_a_thousand_cells_with_an_error_in_the_middle",
     "test_known_defects.py::test_a_burst_after_a_cell_that_fails_at_once"),
    ("D13", "cells that are not stored have numbers, and stop_on_error is false where it is not said",
     "test_server_cells.py::test_counts_grow_with_stored_cells_only",
     "test_known_defects.py::test_a_burst_after_a_cell_that_fails_at_once"),
    ("D14", "kernel_info_reply has empty fields, and CodeMirror's mode is text alone",
     "test_server_questions.py::test_kernel_info"),
    ("D15", "comm_info_request for no target has no reply", "test_server_questions.py::test_comms"),
    ("D16", "dates lose the leading zeros of their microseconds",
     "test_known_defects.py::test_dates_as_they_are_sent", "test_server_cells.py::test_dates_have_all_their_zeros"),
    ("D17", "an empty key, which means no authentication, is replaced by a random one",
     "test_server_ends.py::test_no_key_means_no_authentication"),
    ("D18", "interrupts and shutdowns are not received while a cell runs",
     "test_server_stops.py::test_a_running_cell_ends_fast", "test_server_stops.py::test_kernel_info_on_control_while_busy"),
    ("D19", "a shutdown waits for the cell that runs",
     "test_server_ends.py::test_shutdown_of_a_busy_kernel_is_quick", "test_kernel.py::test_shutdown_of_a_busy_kernel"),
    ("D20", "the process exits among its threads, and Python is never finalised",
     "test_server_ends.py::test_shutdown_is_orderly", "test_kernel.py::test_shutdown_runs_exit_handlers_and_is_quiet"),
    ("D21", "subscribers are not welcomed, and threads that publish share a socket",
     "test_server_questions.py::test_a_new_subscriber_is_welcomed",
     "test_kernel.py::test_threads_print_while_cells_run_and_after",
     "test_known_defects.py::test_threads_publish_all_at_once"),
    ("D22", "a request of a type that is not known has no reply",
     "test_server_questions.py::test_each_request_has_one_reply_and_is_bracketed"),
    ("D23", "-f FILE stays among the arguments that a cell sees",
     "test_kernel.py::test_a_cell_sees_no_arguments_of_the_kernel"),
    ("D24", "the password flag of an input request is inverted: names are hidden, passwords seen",
     "test_server_stops.py::test_input_and_password"),
]


class Table(unittest.TestCase):
    def test_each_defect_has_its_tests(self):
        self.assertEqual([row[0] for row in DEFECTS], [f"D{n}" for n in range(1, 25)])
        here = os.path.dirname(os.path.abspath(__file__))
        for number, what, *tests in DEFECTS:
            self.assertTrue(tests, what)
            for test in tests:
                file, function = test.split("::")
                with open(os.path.join(here, file)) as text:
                    names = {node.name for node in ast.walk(ast.parse(text.read())) if isinstance(node, ast.FunctionDef)}
                self.assertIn(function, names, f"{number}: {file} has no such test")


class Defects(Shared):
    def test_half_characters_wherever_a_cell_puts_them(self):  # D2
        bad, good = "'a\\ud800b\\udcff'", ("a\ufffdb\ufffd", r"a\ud800b\udcff")
        cells = {f"print({bad})": lambda run: run.text().strip(),
                 f"import sys; print({bad}, file=sys.stderr)": lambda run: run.text("stderr").strip(),
                 f"display({{'text/plain': {bad}, 'text/html': {bad}}}, raw=True)":
                     lambda run: run.of("display_data")[0]["data"]["text/html"],
                 f"display({{'text/plain': ''}}, raw=True, metadata={{{bad}: {bad}}})":
                     lambda run: [*run.of("display_data")[0]["metadata"]][0],
                 f"class R:\n    def __repr__(self): return {bad}\nR()":
                     lambda run: run.of("execute_result")[0]["data"]["text/plain"],
                 f"raise ValueError({bad})": lambda run: run.of("error")[0]["evalue"],
                 f"get_ipython().set_next_input({bad})": lambda run: run.reply["payload"][0]["text"]}
        for code, where in cells.items():
            with self.subTest(code):
                self.assertIn(where(self.client.execute(code)), good)
        values = self.client.execute("", user_expressions={"x": bad, "y": "R()"}).reply["user_expressions"]
        self.assertIn(values["y"]["data"]["text/plain"], good)
        self.client.execute(f"R.__doc__ = {bad}")
        self.assertEqual(self.client.request("inspect_request", {"code": "R", "cursor_pos": 1})["status"], "ok")
        self.client.execute(f"setattr(R, {bad}, 1)")
        self.assertEqual(self.client.request("complete_request", {"code": "R.", "cursor_pos": 2})["status"], "ok")

    def test_json_that_no_front_end_reads(self):  # D2
        run = self.check("from IPython.display import JSON\n"
                         "display(JSON({'a': float('nan')}), metadata={'b': [float('inf'), 1], 'c': '\\ud800'})")
        shown = run.of("display_data")[0]
        self.assertEqual((shown["data"]["application/json"], shown["metadata"]), (
            {"a": None}, {"application/json": {"expanded": False, "root": "root"}, "b": [None, 1], "c": "\ufffd"}))
        # Recursive readers and writers of such a message crash.
        deep = "'[' * 100000 + ']' * 100000"
        shown = self.check(f"display({{'application/json': {deep}}}, raw=True)").of("display_data")[0]["data"]
        self.assertEqual(shown["application/json"][:3], "[[[")
        self.assertEqual(self.client.execute("m = {}\nfor _ in range(10**5): m = {'a': m}\ndisplay(1, metadata=m)")
                         .reply["ename"], "RecursionError")
        self.check("m = {}\nfor _ in range(500): m = {'a': m}\ndisplay(1, metadata=m)")

    def test_odd_searches_of_long_cells(self):  # D10
        self.check("long = '" + "a" * 1_000_000 + "'")
        search = lambda pattern: self.client.request("history_request", {
            "hist_access_type": "search", "pattern": pattern, "n": 5, "raw": True, "output": False})
        for pattern, found in (("long*'", 1), ("*a*a*'", 1), ("(a|a)*", 0), ("a{1,", 0), ("[", 0), ("*" * 99 + "q", 0),
                               ("\\", 0), ("*a" * 12 + "*q", 0)):
            begun = time.monotonic()
            reply = search(pattern)
            self.assertEqual((reply["status"], len(reply["history"])), ("ok", found), pattern)
            self.assertLess(time.monotonic() - begun, SOON, pattern)

    def test_a_burst_after_a_cell_that_fails_at_once(self):  # D12, D13
        """Requests that arrive 2 ms after their predecessor, as on a loaded machine, run, and so do all later ones."""
        whole, session, rounds = 0, self.client.session, 20
        for _ in range(rounds):
            messages = [session.msg("execute_request", {"code": code}) for code in ["1/0"] + ["print('no')"] * 20]
            for frames in [session.serialize(message) for message in messages]:
                self.client.sockets["shell"].send_multipart(frames)
            begun = time.monotonic()
            runs = [self.client.finish(message["header"]["msg_id"]) for message in messages]
            self.assertLess(time.monotonic() - begun, SOON)
            names = [run.reply.get("ename") for run in runs]
            aborted = names.count("Aborted")
            self.assertEqual(names, ["ZeroDivisionError"] + ["Aborted"] * aborted + [None] * (20 - aborted))
            whole += aborted == 20
            self.assertEqual({tuple(run.states) for run in runs}, {("busy", "idle")})
            self.assertEqual(self.check("print('yes')").text(), "yes\n")
        self.assertGreater(whole, 0)

    def test_dates_as_they_are_sent(self):  # D16
        """Session reads them, so check the raw frames, at times whose microseconds begin with a zero."""
        zeros, end = 0, time.monotonic() + PATIENCE
        while zeros < 5:
            self.assertLess(time.monotonic(), end)
            if time.time() % 1 > 0.08:
                time.sleep(0.01)
                continue
            self.client.start("1")
            for channel in ("shell", *["iopub"] * 4):
                self.client.sockets[channel].poll(int(PATIENCE * 1000))
                frames = self.client.sockets[channel].recv_multipart()
                date = json.loads(frames[frames.index(b"<IDS|MSG>") + 2])["date"]
                self.assertRegex(date, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
                zeros += ".0" in date

    def test_threads_publish_all_at_once(self):  # D21
        run = self.check("import threading\ndef show(n):\n    for i in range(50):\n        display({'text/plain': f'{n} {i}'}, raw=True)\n"
                         "        print(f'{n} {i}\\n', end='')\n        display(i, display_id=str(n), update=True)\n"
                         "threads = [threading.Thread(target=show, args=(n,)) for n in range(8)]\n"
                         "for t in threads: t.start()\nshow(8)\nfor t in threads: t.join()")
        shown = [c["data"]["text/plain"] for c in run.of("display_data")]
        self.assertEqual(sorted(shown), sorted(f"{n} {i}" for n in range(9) for i in range(50)))
        self.assertEqual(sorted(run.text().split("\n")[:-1]), sorted(shown))
        self.assertEqual(len(run.of("update_display_data")), 450)


class Ends(Own):
    def test_a_shutdown_publishes_states_alone(self):  # D6
        kernel = self.start()
        sent = kernel.client.send("shutdown_request", {"restart": False}, "control")
        messages = kernel.client.outputs_of(sent)
        while (more := kernel.client.receive("iopub", 0.3)) is not None:
            messages.append(more)
        self.assertEqual([m["msg_type"] for m in messages], ["status", "status"])


if __name__ == "__main__":
    unittest.main()
