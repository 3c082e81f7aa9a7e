# SPDX-License-Identifier: Apache-2.0
"""Ends of the server."""

import os
import re
import signal
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import zmq
from case import BINARY, Own
from harness import SOON, Client, Kernel


class Ends(Own):
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
            self.assertLess(time.monotonic() - begun, SOON)

    def test_clients_that_stay_miss_nothing_of_a_restarted_kernel(self):
        kernel = self.start()
        patient = [kernel.new_client(reconnect_ms=100) for _ in range(4)]  # as clients have it
        for client in patient:
            client.wait_for("iopub", "iopub_welcome")

        def printed(client):  # a socket subscribes again while somebody waits for it
            messages = client.outputs_of(client.start("out hello"), timeout=SOON)
            return "".join(m["content"].get("text", "") for m in messages)

        with ThreadPoolExecutor() as threads:
            for _ in range(8):
                time.sleep(0.25)
                kernel.process.kill()
                kernel.wait()
                kernel.spawn()
                self.assertEqual(list(threads.map(printed, patient)), ["hello\n"] * 4)

    def test_no_key_means_no_authentication(self):  # D17
        kernel = self.start(key="")
        self.assertEqual(kernel.client.execute("out open").text(), "open\n")

    def test_encrypted_where_the_connection_file_has_keys(self):
        public, secret = (key.decode() for key in zmq.curve_keypair())
        kernel = self.start(info={"curve_publickey": public, "curve_secretkey": secret})
        self.assertEqual(kernel.client.execute("out x").text(), "x\n")
        msg_id = kernel.client.start("input name?")
        kernel.client.wait_for("stdin", "input_request")
        kernel.client.send("input_reply", {"value": "Ada"}, "stdin")
        self.assertEqual(kernel.client.finish(msg_id).text(), "Ada\n")
        self.assertEqual(kernel.client.request("interrupt_request", {}, "control")["status"], "ok")
        kernel.client.sockets["hb"].send(b"beat")
        self.assertTrue(kernel.client.sockets["hb"].poll(2000))
        plain = Client({k: v for k, v in kernel.info.items() if not k.startswith("curve")})
        self.addCleanup(plain.close)
        plain.send("kernel_info_request")
        self.assertIsNone(plain.receive("shell", 0.3))

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
        self.assertEqual(kernel.wait(SOON), 128 + signal.SIGTERM)

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
            self.assertIn("No such file" if text is None else "it is not JSON", run.stderr)


def gone(pid):
    """A process that ended, reaped or not."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


if __name__ == "__main__":
    unittest.main()
