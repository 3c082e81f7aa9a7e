# SPDX-License-Identifier: Apache-2.0
"""The server by itself, around a session without Python: test_server.py FAKE_KERNEL [unittest
options]. Each test that names a defect names one of xeus 2.4.1 which the server repairs."""

import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from xml.etree import ElementTree

from harness import Kernel
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ""


class Shared(unittest.TestCase):
    """Tests that leave the kernel as they found it share one."""

    @classmethod
    def setUpClass(cls):
        cls.kernel = Kernel(BINARY)
        cls.client = cls.kernel.client

    @classmethod
    def tearDownClass(cls):
        cls.kernel.close()


class Cells(Shared):
    def test_streams_keep_their_order_and_come_before_idle(self):
        run = self.client.execute("out a\nout b\nerr c\nout d")
        self.assertEqual([(c["name"], c["text"]) for c in run.of("stream")],
                         [("stdout", "a\nb\n"), ("stderr", "c\n"), ("stdout", "d\n")])
        self.assertEqual(run.states, ["busy", "idle"])
        self.assertEqual(run.types[:2], ["status", "execute_input"])
        self.assertEqual(run.reply["status"], "ok")

    def test_many_writes_become_few_messages(self):
        run = self.client.execute("many 100000")
        self.assertEqual(run.text(), "line\n" * 100000)
        self.assertLess(len(run.of("stream")), 60)

    def test_a_stream_shows_while_the_cell_runs(self):
        msg_id = self.client.start("out first\nsleep 1")
        begun = time.monotonic()
        self.client.wait_for("iopub", "stream")
        self.assertLess(time.monotonic() - begun, 0.4)
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

    def test_a_huge_display_is_cut_with_a_note(self):
        data = self.client.execute("big 3000000").of("display_data")[0]["data"]
        self.assertIn("cut here", data["text/plain"])
        for part in data.values():
            self.assertLessEqual(len(part), 200000)

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
        for field, value in {"status": "error", "ename": "ValueError", "evalue": "as told",
                             "traceback": ["ValueError: as told"]}.items():
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

    def test_comms(self):  # D15
        self.assertEqual(self.client.request("comm_info_request", {"target_name": None}),
                         {"status": "ok", "comms": {}})
        msg_id = self.client.send("comm_open", {"comm_id": "c1", "target_name": "nobody", "data": {}})
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

    def test_the_terminal_stays_quiet(self):
        self.client.request("no_such_request")
        self.client.execute("throw boom")
        self.assertEqual(self.kernel.printed(), "")


class Input(Shared):
    def ask(self, code, answer):
        msg_id = self.client.start(code)
        request = self.client.wait_for("stdin", "input_request")
        self.client.send("input_reply", {"value": answer}, "stdin")
        return request["content"], self.client.finish(msg_id)

    def test_input_and_password(self):  # D7
        content, run = self.ask("input name? ", "Ada")
        self.assertEqual((content, run.text()), ({"prompt": "name? ", "password": False}, "Ada\n"))
        content, run = self.ask("password secret? ", "x")
        self.assertEqual(content, {"prompt": "secret? ", "password": True})

    def test_without_stdin_it_fails_at_once(self):
        run = self.client.execute("input name? ", allow_stdin=False)
        self.assertIn("no way to answer", run.reply["evalue"])

    def test_output_before_the_question_is_seen_before_the_answer(self):
        msg_id = self.client.start("out look\ninput name? ")
        self.client.wait_for("stdin", "input_request")
        self.assertEqual(self.client.wait_for("iopub", "stream", 1)["content"]["text"], "look\n")
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
            self.assertLess(time.monotonic() - begun, 0.2)
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
            self.assertLess(time.monotonic() - begun, 0.2)
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
        msg_id = self.client.start("stubborn 0.5")
        begun = time.monotonic()
        self.client.request("kernel_info_request", channel="control")
        self.assertLess(time.monotonic() - begun, 0.3)
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

    def test_not_if_told_so_nor_for_others(self):
        ids = [self.client.start("sleep 0.1\nfail E", stop_on_error=False), self.client.start("out yes")]
        self.assertEqual(self.statuses(ids)[1], ("ok", None))
        other = self.kernel.new_client()
        other.wait_for("iopub", "iopub_welcome")
        failed = self.client.start("sleep 0.1\nfail E")
        time.sleep(0.02)
        theirs = other.start("out theirs")
        self.client.finish(failed)
        self.assertEqual(other.finish(theirs).reply["status"], "ok")


class Ends(unittest.TestCase):
    """Each of these ends a kernel of its own."""

    def start(self, **options):
        kernel = Kernel(BINARY, **options)
        self.addCleanup(kernel.close)
        return kernel

    def test_shutdown_is_orderly(self):  # D5, D20
        for restart in (False, True):
            file = f"/tmp/tilelab_end_{os.getpid()}_{restart}"
            kernel = self.start(env={"TILELAB_TEST_END_FILE": file})
            reply = kernel.client.request("shutdown_request", {"restart": restart}, "control")
            self.assertEqual(reply, {"status": "ok", "restart": restart})
            self.assertEqual(kernel.wait(), 0)
            self.assertTrue(os.path.exists(file), "run_kernel did not return")
            os.unlink(file)
            self.assertEqual(kernel.printed(), "")

    def test_shutdown_on_shell_works_as_well(self):
        kernel = self.start()
        self.assertEqual(kernel.client.request("shutdown_request", {"restart": False})["status"], "ok")
        self.assertEqual(kernel.wait(), 0)

    def test_shutdown_of_a_busy_kernel_is_quick(self):  # D19
        for code in ("out begun\nsleep 20", "out begun\ninput forever? "):
            kernel = self.start()
            msg_id = kernel.client.start(code)
            kernel.client.wait_for("iopub", "stream")
            begun = time.monotonic()
            shutdown = kernel.client.send("shutdown_request", {"restart": False}, "control")
            kernel.client.reply_to(shutdown, "control")
            self.assertEqual(kernel.client.reply_to(msg_id)["content"]["ename"], "KeyboardInterrupt")
            self.assertEqual(kernel.wait(), 0)
            self.assertLess(time.monotonic() - begun, 0.5)

    def test_no_key_means_no_authentication(self):  # D17
        kernel = self.start(key="")
        self.assertEqual(kernel.client.execute("out open").text(), "open\n")

    def test_a_wrong_key_is_not_heard(self):
        kernel = self.start()
        stranger = kernel.new_client()
        stranger.session.key = b"another"
        stranger.send("execute_request", {"code": "out no"})
        self.assertIsNone(stranger.receive("shell", 0.2))

    def test_exit_leaves_with_its_status(self):
        kernel = self.start()
        run = kernel.client.execute("exit 3")
        self.assertEqual(run.reply["payload"], [{"source": "ask_exit", "keepkernel": False}])
        self.assertIsNone(kernel.process.poll(), "gone before a client can have read the reply")
        self.assertEqual(kernel.client.execute("out no").reply["ename"], "Aborted")
        self.assertEqual(kernel.wait(), 3)

    def test_sigterm_is_orderly_and_certain(self):
        kernel = self.start()
        kernel.process.send_signal(signal.SIGTERM)
        self.assertEqual(kernel.wait(), 0)
        kernel = self.start()
        kernel.client.start("out begun\nstubborn 30")
        kernel.client.wait_for("iopub", "stream")
        kernel.process.send_signal(signal.SIGTERM)
        self.assertEqual(kernel.wait(5), 128 + signal.SIGTERM)

    def test_an_orphan_ends(self):
        kernel = Kernel(BINARY, start=False)
        self.addCleanup(kernel.close)
        script = f"JPY_PARENT_PID=$$ {BINARY} kernel -f {kernel.file} & echo $!; sleep 0.5"
        out = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, text=True,
                             start_new_session=True, timeout=20).stdout
        pid, end = int(re.search(r"\d+", out).group()), time.monotonic() + 5
        while time.monotonic() < end and not gone(pid):
            time.sleep(0.05)
        self.assertTrue(gone(pid), "the kernel outlives its parent")

    def test_bad_connection_files_are_named(self):
        for text in (None, "{"):
            kernel = Kernel(BINARY, start=False)
            self.addCleanup(kernel.close)
            if text is None:
                os.unlink(kernel.file)
            else:
                with open(kernel.file, "w") as f:
                    f.write(text)
            run = subprocess.run([BINARY, "kernel", "-f", kernel.file], stderr=subprocess.PIPE, text=True)
            self.assertEqual(run.returncode, 2)
            self.assertIn("cannot read the connection file", run.stderr)
            self.assertIn("No such file" if text is None else "parse error", run.stderr)


class Installing(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.prefix = directory.name

    def run_it(self, *arguments, **env):
        return subprocess.run([BINARY, "install-kernel", *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, **env})

    def test_the_kernelspec_is_found_and_starts(self):
        self.assertEqual(self.run_it("--prefix", self.prefix, "--name", "try-1").returncode, 0)
        kernels = os.path.join(self.prefix, "share/jupyter/kernels")
        spec = KernelSpecManager(kernel_dirs=[kernels]).get_kernel_spec("try-1")
        self.assertEqual(spec.argv, [os.path.realpath(BINARY), "kernel", "-f", "{connection_file}"])
        self.assertEqual((spec.language, spec.interrupt_mode), ("python", "message"))
        self.assertEqual(spec.metadata, {"debugger": False})
        manager = KernelManager(kernel_name="try-1",
                                kernel_spec_manager=KernelSpecManager(kernel_dirs=[kernels]))
        manager.start_kernel()
        self.addCleanup(manager.shutdown_kernel, now=True)
        client = manager.blocking_client()
        client.start_channels()
        self.addCleanup(client.stop_channels)
        client.wait_for_ready(timeout=10)
        msg_id = client.execute("sleep 20")
        time.sleep(0.1)
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=5)
        while reply["parent_header"].get("msg_id") != msg_id:
            reply = client.get_shell_msg(timeout=5)
        self.assertEqual(reply["content"]["ename"], "KeyboardInterrupt")
        begun = time.monotonic()
        manager.shutdown_kernel()
        self.assertLess(time.monotonic() - begun, 2, "the manager had to kill it")

    def test_logos_are_pictures(self):
        self.run_it("--prefix", self.prefix)
        kernel = os.path.join(self.prefix, "share/jupyter/kernels/tilelab")
        for size in (32, 64):
            with open(os.path.join(kernel, f"logo-{size}x{size}.png"), "rb") as f:
                rows = png_rows(f.read(), size)
            self.assertEqual(rows[0][3], 0, "corners are transparent")
            self.assertGreater(len({bytes(rows[size // 5][x:x + 4]) for x in range(0, 4 * size, 4)}), 4)
        self.assertEqual(len(ElementTree.parse(os.path.join(kernel, "logo-svg.svg")).getroot()), 17)

    def test_places_and_removal(self):
        home = os.path.join(self.prefix, "home")
        bare = {"HOME": home, "JUPYTER_DATA_DIR": "", "XDG_DATA_HOME": "", "VIRTUAL_ENV": self.prefix}
        self.run_it(**bare)
        self.assertTrue(os.path.exists(home + "/.local/share/jupyter/kernels/tilelab/kernel.json"))
        self.run_it("--sys-prefix", **bare)
        self.assertTrue(os.path.exists(self.prefix + "/share/jupyter/kernels/tilelab/kernel.json"))
        self.assertEqual(self.run_it("--sys-prefix", "--remove", **bare).returncode, 0)
        self.assertFalse(os.path.exists(self.prefix + "/share/jupyter/kernels/tilelab"))
        again = self.run_it("--sys-prefix", "--remove", **bare)
        self.assertEqual((again.returncode, again.stderr.count("\n")), (1, 1))
        self.assertIn("there is no kernel tilelab", again.stderr)

    def test_wrong_usage(self):
        for arguments in (["--name"], ["--name", "a/b"], ["--frobnicate"]):
            run = self.run_it(*arguments)
            self.assertEqual(run.returncode, 2)
            self.assertIn("usage:", run.stderr)


def png_rows(data, size):
    """The rows of an RGBA image without filters; checks lengths and checksums."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            assert struct.unpack(">IIBB", body[:10]) == (size, size, 8, 6)
        pixels += body if kind == b"IDAT" else b""
        at += 12 + length
    raw, stride = zlib.decompress(pixels), 4 * size + 1
    assert len(raw) == size * stride and all(raw[row * stride] == 0 for row in range(size))
    return [raw[row * stride + 1:(row + 1) * stride] for row in range(size)]


def gone(pid):
    """A process that ended, reaped or not."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


if __name__ == "__main__":
    unittest.main()
