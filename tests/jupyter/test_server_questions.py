# SPDX-License-Identifier: Apache-2.0
"""Completion, inspection, history, comms and odd requests, by the server alone."""

import unittest

from case import Shared


class Questions(Shared):
    def test_completion_is_typed_and_counts_code_points(self):
        reply = self.client.request("complete_request", {"code": "x = '\U0001f600'; o", "cursor_pos": 10})
        self.assertEqual((reply["cursor_start"], reply["cursor_end"]), (9, 10))
        self.assertEqual(reply["matches"], ["out", "over"])
        self.assertEqual(reply["metadata"]["_jupyter_types_experimental"][0],
                         {"start": 9, "end": 10, "text": "out", "type": "command", "signature": "(text)"})
        at_end = self.client.request("complete_request", {"code": "\U0001f600o"})
        self.assertEqual(at_end["cursor_end"], 2)

    def test_inspection(self):
        reply = self.client.request("inspect_request", {"code": "name", "cursor_pos": 2, "detail_level": 1})
        self.assertEqual((reply["found"], reply["data"]), (True, {"text/plain": "name at 2 source"}))
        reply = self.client.request("inspect_request", {"code": "nothing", "cursor_pos": 0})
        self.assertEqual((reply["status"], reply["found"], reply["data"]), ("ok", False, {}))

    def test_is_complete(self):
        ask = lambda code: self.client.request("is_complete_request", {"code": code})
        self.assertEqual(ask("for ..."), {"status": "incomplete", "indent": "  "})
        for code, status in (("out", "complete"), (")", "invalid"), ("?", "unknown")):
            self.assertEqual(ask(code), {"status": status})

    def test_history(self):  # D9, D10
        self.client.execute("out unique history")
        tail = self.client.request("history_request", {"hist_access_type": "tail", "n": 1, "raw": True,
                                                       "output": False})["history"]
        session, line, text = tail[0]
        self.assertEqual((type(session), type(line), text), (int, int, "out unique history"))
        by_range = self.client.request("history_request", {
            "hist_access_type": "range", "session": 0, "start": line, "stop": line + 1, "output": True})
        self.assertEqual(by_range["history"], [[session, line, ["out unique history", None]]])
        earlier = self.client.request("history_request", {
            "hist_access_type": "range", "session": -1, "start": 2, "stop": None, "output": False})
        self.assertEqual(earlier["history"], [[1, 2, "old two"]])
        found = self.client.request("history_request", {"hist_access_type": "search", "pattern": "old*",
                                                        "n": None, "output": False})
        self.assertEqual([row[2] for row in found["history"]], ["old one", "old two"])
        odd = self.client.request("history_request", {"hist_access_type": "search", "pattern": "([*", "n": 3})
        self.assertEqual((odd["status"], odd["history"]), ("ok", []))

    def test_kernel_info(self):  # D14
        for channel in ("shell", "control"):
            info = self.client.request("kernel_info_request", channel=channel)
            self.assertEqual(info["status"], "ok")
            self.assertEqual(info["protocol_version"], "5.3")
            self.assertEqual(info["implementation"], "tilelab")
            self.assertEqual(info["banner"], "a fake session")
            language = info["language_info"]
            self.assertEqual(language["codemirror_mode"], {"name": "ipython", "version": 3})
            self.assertEqual((language["name"], language["mimetype"], language["file_extension"],
                              language["pygments_lexer"]), ("python", "text/x-python", ".py", "ipython3"))
            self.assertTrue(all(link["url"].startswith("https://") for link in info["help_links"]))

    def test_comms_carry_data_and_bytes_both_ways(self):
        bytes_of_all_kinds = bytes(range(256)) * 3
        msg_id = self.client.send("comm_open", {"comm_id": "one", "target_name": "echo", "data": {"\u00e9": [1.5, None]}},
                                  buffers=[bytes_of_all_kinds, b""])
        messages = self.client.outputs_of(msg_id)
        self.assertEqual([m["msg_type"] for m in messages], ["status", "comm_msg", "status"])
        back = messages[1]
        self.assertEqual(back["content"]["data"], {"\u00e9": [1.5, None]})
        self.assertEqual([bytes(b) for b in back["buffers"]], [bytes_of_all_kinds, b""])
        self.assertEqual(back["metadata"]["of"]["msg_id"], msg_id)
        self.assertEqual(self.client.request("comm_info_request", {"target_name": "echo"})["comms"],
                         {"one": {"target_name": "echo"}})
        self.assertEqual(self.client.request("comm_info_request", {"target_name": "none"})["comms"], {})

    def test_a_comm_that_fails_says_so_and_ends(self):
        msg_id = self.client.send("comm_msg", {"comm_id": "one", "data": {"what": "throw"}})
        messages = self.client.outputs_of(msg_id)
        self.assertEqual([m["msg_type"] for m in messages], ["status", "error", "status"])
        self.assertEqual(self.client.execute("out still").text(), "still\n")

    def test_comms(self):  # D15
        self.assertEqual(self.client.request("comm_info_request", {"target_name": None}),
                         {"status": "ok", "comms": {}})
        msg_id = self.client.send("comm_open", {"comm_id": "c1", "target_name": "unknown", "data": {}})
        messages = self.client.outputs_of(msg_id)
        self.assertEqual([m["msg_type"] for m in messages], ["status", "comm_close", "status"])
        self.assertEqual(messages[1]["content"]["comm_id"], "c1")
        self.client.outputs_of(self.client.send("comm_msg", {"comm_id": "c1", "data": {}}))

    def test_each_request_has_one_reply_and_is_bracketed(self):  # D1, D22
        odd = [("no_such_request", {}), ("execute_request", {"code": 5}), ("complete_request", {"code": []}),
               ("complete_request", {"code": "throw"}), ("history_request", {"hist_access_type": "none"}),
               ("history_request", {"n": "many"}), ("inspect_request", {}), ("comm_info_request", []),
               ("debug_request", {"command": "initialize"})]
        for channel in ("shell", "control"):
            for msg_type, content in odd:
                with self.subTest(msg_type=msg_type, content=content, channel=channel):
                    msg_id = self.client.send(msg_type, content, channel)
                    reply = self.client.reply_to(msg_id, channel)
                    self.assertEqual(reply["msg_type"], msg_type.replace("_request", "_reply"))
                    self.assertIn(reply["content"]["status"], ("ok", "error"))
                    if reply["content"]["status"] == "error":
                        self.assertTrue({"ename", "evalue", "traceback"} <= set(reply["content"]))
                    states = [m["content"]["execution_state"] for m in self.client.outputs_of(msg_id)
                              if m["msg_type"] == "status"]
                    self.assertEqual(states, ["busy", "idle"])
                    self.assertIsNone(self.client.receive(channel, 0.02), "a second reply")

    def test_garbage_is_ignored(self):
        for frames in ([b"x"], [b"<IDS|MSG>"], [b"<IDS|MSG>", b"", b"{}", b"{}", b"{}", b"{}"],
                       [b"<IDS|MSG>", b"sig", b"[", b"{}", b"{}", b"{}"]):
            for channel in ("shell", "control"):
                self.client.sockets[channel].send_multipart(frames)
        self.assertEqual(self.client.execute("").reply["status"], "ok")

    def test_heartbeat(self):
        heart = self.client.sockets["hb"]
        for _ in range(3):
            heart.send(b"ping")
            self.assertTrue(heart.poll(1000))
            self.assertEqual(heart.recv(), b"ping")

    def test_a_new_subscriber_is_welcomed(self):  # D21
        self.assertEqual(self.kernel.new_client().wait_for("iopub", "iopub_welcome")["content"],
                         {"subscription": ""})

    def test_two_clients_get_their_own_replies(self):
        other = self.kernel.new_client()
        other.wait_for("iopub", "iopub_welcome")
        one, two = self.client.start("result mine"), other.start("result yours")
        self.assertEqual(other.finish(two).of("execute_result")[0]["data"], {"text/plain": "yours"})
        self.assertEqual(self.client.finish(one).of("execute_result")[0]["data"], {"text/plain": "mine"})

    def test_the_terminal_is_quiet(self):
        self.client.request("no_such_request")
        self.client.execute("throw boom")
        self.assertEqual(self.kernel.printed(), "")


if __name__ == "__main__":
    unittest.main()
