# SPDX-License-Identifier: Apache-2.0
"""Faulty and hostile messages of a client with the right key, by the server alone."""

import json
import subprocess
import time
import unittest

from case import BINARY, Own, Shared
from harness import SOON



def frames(client, msg_type, content=b"{}", header=None, signature=None, key=True):
    """The parts of a signed message, its contents as they are given."""
    session = client.session
    made = session.msg_header(msg_type) if header is None else header
    parts = [part if isinstance(part, bytes) else json.dumps(part, default=str).encode()
             for part in (made, {}, {}, content)]
    return [b"<IDS|MSG>", signature or (session.sign(parts) if key else b""), *parts], made


class Abuse(Shared):
    def send(self, msg_type, content=b"{}", channel="shell", **options):
        parts, header = frames(self.client, msg_type, content, **options)
        self.client.sockets[channel].send_multipart(parts)
        return header.get("msg_id") if isinstance(header, dict) else None

    def alive(self):
        self.assertEqual(self.client.execute("out on").text(), "on\n")

    def test_a_type_that_is_no_text_is_dropped(self):
        for header in ({}, [], "x", 7, None):
            self.send("", header=header if header is not None else b"null")
        for kind in (7, None, ["execute_request"], {}):
            whole = {**self.client.session.msg_header("x"), "msg_type": kind}
            for channel in ("shell", "control"):
                self.send("", header=whole, channel=channel)
        self.alive()

    def test_comm_ids_of_any_length_and_type(self):
        for comm_id in ("", "x", "x" * 100, "x" * 100000, 7, None, {}):
            for kind in ("comm_open", "comm_msg", "comm_close"):
                sent = self.send(kind, {"comm_id": comm_id, "target_name": "none", "data": {}})
                messages = self.client.outputs_of(sent)
                closed = [m["content"]["comm_id"] for m in messages if m["msg_type"] == "comm_close"]
                if kind == "comm_open":
                    self.assertEqual(closed, [comm_id if isinstance(comm_id, str) else ""])
        self.alive()

    def test_deep_json_gets_an_error_reply(self):
        deep = b'{"code": ' + b"[" * 100000 + b"]" * 100000 + b"}"
        sent = self.send("execute_request", deep)
        self.assertIn("nested too deep", self.client.reply_to(sent)["content"]["evalue"])
        self.client.outputs_of(sent)
        self.send("x", header=b"[" * 100000 + b"]" * 100000)
        self.alive()

    def test_half_characters_are_replaced_and_answered(self):
        for text in (b'{"code": "out a\\ud800b"}', b'{"code": "out a\xed\xa0\x80b"}',
                     b'{"code": "out \xff"}'):
            sent = self.send("execute_request", text)
            run = self.client.finish(sent)
            self.assertEqual(run.reply["status"], "ok", text)
            self.assertIn("�", run.text())
        sent = self.send("execute_request", b'{"code": "out x", "n": NaN}')
        self.assertEqual(self.client.finish(sent).reply["ename"], "BadRequest")

    def test_a_message_that_comes_again_does_not_run_again(self):
        parts, header = frames(self.client, "execute_request", {"code": "out once"})
        count = self.client.execute("out x").reply["execution_count"]
        for _ in range(5):
            self.client.sockets["shell"].send_multipart(parts)
        self.assertEqual(self.client.finish(header["msg_id"]).text(), "once\n")
        self.assertEqual(self.client.execute("out x").reply["execution_count"], count + 2)

    def test_signatures_are_compared_whole(self):
        for change in (lambda s: s + b"0", lambda s: s[:-1], lambda s: b"", lambda s: s.upper() + b"\0"):
            parts, header = frames(self.client, "execute_request", {"code": "out forged"})
            parts[1] = change(parts[1])
            self.client.sockets["shell"].send_multipart(parts)
        count = self.client.execute("out x").reply["execution_count"]
        self.assertEqual(self.client.execute("out x").reply["execution_count"], count + 1)

    def test_another_client_cannot_answer_a_question(self):
        other = self.kernel.new_client()
        asked = self.client.start("input name? ")
        question = self.client.wait_for("stdin", "input_request")
        other.send("input_reply", {"value": "forged"}, "stdin", parent=question["header"])
        time.sleep(0.1)
        self.client.send("input_reply", {"value": "mine"}, "stdin")
        self.assertEqual(self.client.finish(asked).text(), "mine\n")

    def test_a_heartbeat_of_many_parts_is_returned_whole(self):
        heart = self.client.sockets["hb"]
        heart.send_multipart([b"one", b"", b"two"])
        assert heart.poll(5000), "no heartbeat"
        assert heart.recv_multipart() == [b"one", b"", b"two"]
        self.alive()

    def test_a_clock_that_steps_back_aborts_nothing(self):
        self.client.reply_to(self.client.start("sleep 0.05\nfail E"))
        for date in ("1999-01-01T00:00:00Z", "yesterday", 7, None):
            header = {**self.client.session.msg_header("execute_request"), "date": date}
            sent = self.send("", {"code": "out yes"}, header=header)
            self.assertEqual(self.client.finish(sent).text(), "yes\n")

    def test_odd_values_get_a_reply_and_idle(self):
        odd = [None, True, -1, 2**31, 2**63, 2**70, -2**70, 1e300, 0.5, "x", [], {}, [[]]]
        fields = {"execute_request": ("code", "silent", "store_history", "user_expressions",
                                      "allow_stdin", "stop_on_error"),
                  "complete_request": ("code", "cursor_pos"), "is_complete_request": ("code",),
                  "inspect_request": ("code", "cursor_pos", "detail_level"),
                  "history_request": ("hist_access_type", "session", "start", "stop", "n", "output",
                                      "raw", "pattern", "unique"), "comm_info_request": ("target_name",)}
        for kind, names in fields.items():
            for name in names:
                for value in odd:
                    sent = self.send(kind, {"code": "out x", "hist_access_type": "range", name: value})
                    with self.subTest(kind=kind, name=name, value=value):
                        self.client.reply_to(sent, timeout=SOON)
                        self.client.outputs_of(sent, timeout=SOON)
                        self.assertIsNone(self.kernel.process.poll())
        self.alive()


class Ends(Own):
    def test_a_shutdown_has_a_deadline(self):
        for code in ("stubborn 60", "sleep 0"):
            kernel = self.start()
            kernel.client.start(code)
            time.sleep(0.2)
            begun = time.monotonic()
            kernel.client.send("shutdown_request", {"restart": False}, "control")
            self.assertEqual(kernel.wait(), 0)
            self.assertLess(time.monotonic() - begun, SOON)

    def test_ports_and_files_that_cannot_be_are_named(self):
        kernel = self.start(start=False)
        for change, expected in (({"hb_port": 70000}, "hb_port is 70000; ports are 1 to 65535"),
                                 ({"shell_port": -1}, "shell_port is -1"), ({"key": 5}, "key is not a string"),
                                 ({"transport": "x"}, "transport is x"), ({"ip": "nowhere"}, "cannot open")):
            with open(kernel.file, "w") as file:
                json.dump({**kernel.info, **change}, file)
            run = subprocess.run([BINARY, "kernel", "-f", kernel.file], env=kernel.env, text=True,
                                 capture_output=True, timeout=10)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(expected, run.stderr)
        for text in ("", "{", "[]", "7", "{}", '{"shell_port": "1"}'):
            with open(kernel.file, "w") as file:
                file.write(text)
            run = subprocess.run([BINARY, "kernel", "-f", kernel.file], env=kernel.env, text=True,
                                 capture_output=True, timeout=10)
            self.assertIn("cannot read the connection file", run.stderr)
            self.assertNotIn("json.exception", run.stderr)


if __name__ == "__main__":
    unittest.main()
