# SPDX-License-Identifier: Apache-2.0
"""Cells, by the server alone around a session without Python (fake_session.cpp). Each test that
names a defect names one of xeus 2.4.1 which the server repairs."""

import time
import unittest

from case import Shared


class Cells(Shared):
    def test_streams_keep_their_order_and_come_before_idle(self):
        run = self.client.execute("out a\nout b\nerr c\nout d")
        self.assertEqual([(c["name"], c["text"]) for c in run.of("stream")],
                         [("stdout", "a\nb\n"), ("stderr", "c\n"), ("stdout", "d\n")])
        self.assertEqual(run.states, ["busy", "idle"])
        self.assertEqual(run.types[:2], ["status", "execute_input"])
        self.assertEqual(run.reply["status"], "ok")

    def test_many_writes_become_few_messages(self):
        run = self.client.execute("many 9999")
        self.assertEqual(run.text(), "line\n" * 9999)
        self.assertLess(len(run.of("stream")), 20)

    def test_a_stream_shows_while_the_cell_runs(self):
        msg_id = self.client.start("out first\nsleep 1")
        self.client.wait_for("iopub", "stream")
        self.assertFalse(self.client.sockets["shell"].poll(0), "the cell ended first")
        self.client.finish(msg_id)

    def test_result_display_update_clear(self):
        run = self.client.execute("named one\nupdate two\nclear wait\nresult 3")
        self.assertEqual(run.types[2:-1], ["display_data", "update_display_data", "clear_output",
                                           "execute_result"])
        self.assertEqual(run.of("display_data")[0]["transient"], {"display_id": "name"})
        self.assertEqual(run.of("update_display_data")[0]["data"], {"text/plain": "two"})
        self.assertEqual(run.of("clear_output")[0], {"wait": True})
        result = run.of("execute_result")[0]
        self.assertEqual(result["data"], {"text/plain": "3"})
        self.assertEqual(result["execution_count"], run.reply["execution_count"])

    def test_the_text_of_a_huge_display_is_cut_with_a_note(self):
        data = self.client.execute("big 3000000").of("display_data")[0]["data"]
        self.assertIn("truncated", data["text/plain"])
        self.assertLessEqual(len(data["text/plain"]), 200_000)
        self.assertGreater(len(data["text/html"]), 3_000_000)

    def test_payloads(self):
        run = self.client.execute("page help\nnext code")
        self.assertEqual(run.reply["payload"],
                         [{"source": "page", "data": {"text/plain": "help"}, "start": 0},
                          {"source": "set_next_input", "text": "code", "replace": False}])

    def test_user_expressions(self):
        run = self.client.execute("", user_expressions={"good": "x", "wrong": "bad"})
        values = run.reply["user_expressions"]
        self.assertEqual(values["good"], {"status": "ok", "data": {"text/plain": "'x'"}, "metadata": {}})
        self.assertEqual((values["wrong"]["status"], values["wrong"]["ename"]), ("error", "NameError"))

    def test_counts_grow_with_stored_cells_only(self):  # D13
        first = self.client.execute("result 1")
        count = first.reply["execution_count"]
        self.assertEqual(first.of("execute_input")[0]["execution_count"], count)
        unstored = self.client.execute("result 1", store_history=False)
        self.assertEqual(unstored.reply["execution_count"], count)
        silent = self.client.execute("result 1", silent=True)
        self.assertEqual(silent.types, ["status", "status"])
        self.assertEqual(self.client.execute("").reply["execution_count"], count + 1)

    def test_error_is_one_message_with_its_names_in_order(self):  # D11
        run = self.client.execute("fail ValueError")
        self.assertEqual([t for t in run.types if t not in ("status", "execute_input")], ["error"])
        self.assertEqual(run.of("error")[0]["ename"], "ValueError")
        for field, value in {"status": "error", "ename": "ValueError", "evalue": "as expected",
                             "traceback": ["ValueError: as expected"]}.items():
            self.assertEqual(run.reply[field], value)
        self.assertIn("execution_count", run.reply)

    def test_an_error_that_the_session_did_not_show_is_shown(self):
        self.assertEqual(self.client.execute("fail Unshown").of("error")[0]["ename"], "Unshown")

    def test_an_exception_of_ours_still_has_a_reply(self):  # D1
        for code in ("throw boom", "throw_int"):
            run = self.client.execute(code)
            self.assertEqual((run.reply["status"], run.reply["ename"]), ("error", "InternalError"))
            self.assertEqual(len(run.of("error")), 1)
            self.assertEqual(run.states, ["busy", "idle"])

    def test_invalid_utf8_is_replaced(self):  # D2
        self.assertEqual(self.client.execute("bytes").text(), "a\ufffd\ufffdz")

    def test_dates_have_all_their_zeros(self):  # D16
        run = self.client.execute("out x")
        for message in run.messages:
            date = message["header"]["date"].isoformat()
            self.assertRegex(date, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$")
            self.assertLess(abs(message["header"]["date"].timestamp() - time.time()), 5)


if __name__ == "__main__":
    unittest.main()
