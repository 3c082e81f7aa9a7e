# SPDX-License-Identifier: Apache-2.0
"""Input, interrupts and the cells after a failed one, by the server alone."""

import time
import unittest

from case import Shared
from harness import SOON


class Input(Shared):
    def ask(self, code, answer):
        msg_id = self.client.start(code)
        request = self.client.wait_for("stdin", "input_request")
        self.client.send("input_reply", {"value": answer}, "stdin")
        return request["content"], self.client.finish(msg_id)

    def test_input_and_password(self):  # D7, D24
        content, run = self.ask("input name? ", "Ada")
        self.assertEqual((content, run.text()), ({"prompt": "name? ", "password": False}, "Ada\n"))
        content, run = self.ask("password secret? ", "x")
        self.assertEqual(content, {"prompt": "secret? ", "password": True})

    def test_without_stdin_it_fails_at_once(self):
        run = self.client.execute("input name? ", allow_stdin=False)
        self.assertIn("not supported by this front end", run.reply["evalue"])

    def test_output_before_the_question_is_seen_before_the_answer(self):
        msg_id = self.client.start("out look\ninput name? ")
        self.client.wait_for("stdin", "input_request")
        self.assertEqual(self.client.wait_for("iopub", "stream")["content"]["text"], "look\n")
        self.client.send("input_reply", {"value": ""}, "stdin")
        self.client.finish(msg_id)

    def test_interrupted_input_ends_and_late_answers_are_dropped(self):  # D8
        for way in ("message", "signal"):
            msg_id = self.client.start("input one? ")
            self.client.wait_for("stdin", "input_request")
            begun = time.monotonic()
            if way == "message":
                reply = self.client.request("interrupt_request", channel="control")
                self.assertEqual(reply, {"status": "ok"})
            else:
                self.kernel.interrupt()
            self.assertEqual(self.client.finish(msg_id).reply["ename"], "KeyboardInterrupt")
            self.assertLess(time.monotonic() - begun, SOON)
            self.client.send("input_reply", {"value": "too late"}, "stdin")
            time.sleep(0.02)
            self.assertEqual(self.ask("input two? ", "in time")[1].text(), "in time\n")


class Interrupts(Shared):
    def test_a_running_cell_ends_fast(self):  # D4, D6, D18
        for way in ("message", "signal"):
            msg_id = self.client.start("out begun\nsleep 20")
            self.client.wait_for("iopub", "stream")
            begun = time.monotonic()
            if way == "message":
                sent = self.client.send("interrupt_request", channel="control")
            else:
                self.kernel.interrupt()
            reply = self.client.reply_to(msg_id)
            self.assertLess(time.monotonic() - begun, SOON)
            self.assertEqual(reply["content"]["ename"], "KeyboardInterrupt")
            self.client.outputs_of(msg_id)
            if way == "message":
                self.assertEqual(self.client.reply_to(sent, "control")["content"], {"status": "ok"})
        asked = self.client.send("interrupt_request", channel="control")
        self.assertEqual([m["msg_type"] for m in self.client.outputs_of(asked)], ["status", "status"])

    def test_an_idle_kernel_survives_and_forgets(self):  # D3
        for _ in range(5):
            self.kernel.interrupt()
        self.client.request("interrupt_request", channel="control")
        time.sleep(0.05)
        self.assertEqual(self.client.execute("sleep 0.05").reply["status"], "ok")

    def test_kernel_info_on_control_while_busy(self):
        msg_id = self.client.start("stubborn 1")
        self.client.request("kernel_info_request", channel="control")
        self.assertFalse(self.client.sockets["shell"].poll(0), "the cell ended first")
        self.client.finish(msg_id)


class Aborts(Shared):  # D12
    def statuses(self, ids):
        runs = [self.client.finish(i) for i in ids]
        for run in runs:
            self.assertEqual(run.states, ["busy", "idle"])
        return [(run.reply["status"], run.reply.get("ename")) for run in runs]

    def test_queued_cells_die_with_a_failed_one(self):
        # Cells count as queued if they were sent before the failing one ended; half a second is
        # time to send them on a busy machine.
        ids = [self.client.start("sleep 0.5\nfail E")] + [self.client.start("out no") for _ in range(5)]
        self.assertEqual(self.statuses(ids), [("error", "E")] + [("error", "Aborted")] * 5)
        aborted = [self.client.start("sleep 0.5\nfail E"), self.client.start("out no")]
        self.assertNotIn("execution_count", [self.client.finish(i) for i in aborted][1].reply)

    def test_a_request_sent_after_the_reply_runs(self):
        for _ in range(50):
            self.client.reply_to(self.client.start("fail E"))
            self.assertEqual(self.client.execute("out yes").text(), "yes\n")

    def test_questions_in_the_queue_are_answered(self):
        failed = self.client.start("sleep 0.1\nfail E")
        question = self.client.send("is_complete_request", {"code": ""})
        aborted = self.client.start("out no")
        self.client.reply_to(failed)
        self.assertEqual(self.client.reply_to(question)["content"], {"status": "complete"})
        self.assertEqual(self.client.finish(aborted).reply["ename"], "Aborted")

    def test_not_if_disabled_nor_for_others(self):
        ids = [self.client.start("sleep 0.1\nfail E", stop_on_error=False), self.client.start("out yes")]
        self.assertEqual(self.statuses(ids)[1], ("ok", None))
        other = self.kernel.new_client()
        other.wait_for("iopub", "iopub_welcome")
        failed = self.client.start("sleep 0.1\nfail E")
        time.sleep(0.02)
        theirs = other.start("out theirs")
        self.client.finish(failed)
        self.assertEqual(other.finish(theirs).reply["status"], "ok")


if __name__ == "__main__":
    unittest.main()
