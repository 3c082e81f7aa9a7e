# SPDX-License-Identifier: Apache-2.0
"""Interrupts of simulated kernels and of the compiler in a notebook: test_simulator.py KERNEL
[unittest options]. By signal, by message, and as jupyter_client does it with an installed kernelspec."""

import os
import subprocess
import sys
import tempfile
import time
import unittest

from case import BINARY, Shared, interrupt
from harness import PATIENCE, SOON
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import stopping  # noqa: E402

KERNELS = ("import numpy as np, tilelang, tilelang.language as T\n" + stopping.KERNELS + stopping.UNROLLED
           + 'x, kept = np.zeros(32, "int32"), 5\n')
ENDED = "kernel endless, after 1 of 3 blocks"


class Simulator(Shared):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        assert cls.client.execute(KERNELS).reply["status"] == "ok"

    def ended(self, code, way, pause=0.3 * PATIENCE / 20):
        """Starts a cell and interrupts it `pause` seconds after it said "begun"; the run and the seconds that the interrupt took."""
        msg_id = self.client.start(code if "Announced" in code else "print('begun', flush=True)\n" + code)
        self.client.wait_for("iopub", "stream")
        time.sleep(pause)
        begun = time.monotonic()
        interrupt(self.kernel, way)
        run = self.client.finish(msg_id)
        return run, time.monotonic() - begun

    def still_works(self):
        run = self.client.execute("count(x); print(kept, x[31])")
        self.assertEqual((run.reply["status"], run.text()), ("ok", "5 31\n"))

    def test_an_endless_kernel_at_each_level(self):
        for level in ("tile", "thread", "flat"):
            self.client.execute(f"%device sim:{level}")
            for way in ("message", "signal"):
                with self.subTest(level=level, way=way):
                    run, took = self.ended("endless(x)", way)
                    self.assertEqual((run.reply["ename"], run.reply["evalue"]), ("KeyboardInterrupt", ENDED))
                    self.assertIn("endless(x)", "\n".join(run.of("error")[0]["traceback"]))
                    self.assertLess(took, SOON)
                    self.still_works()
        self.client.execute("%device sim")

    def test_how_far_it_is_is_one_display_that_goes_away(self):
        """No stream, which would write over what the cell has printed and leave a line."""
        run, _ = self.ended("endless(x)", "message", 1.5)
        shown, changed = run.of("display_data"), run.of("update_display_data")
        self.assertEqual([c["data"] for c in shown][0].keys(), {"text/plain"})
        self.assertRegex(shown[0]["data"]["text/plain"], r"^kernel endless, simulated: \d of 3 blocks, \d s")
        self.assertEqual(({c["transient"]["display_id"] for c in shown + changed}, len(shown)),
                         ({shown[0]["transient"]["display_id"]}, 1))
        self.assertEqual((changed[-1]["data"], run.text("stderr")), ({"text/plain": "", "text/html": ""}, ""))
        msg_id = self.client.start("%%capture held\nendless(x)")
        time.sleep(1.2)
        interrupt(self.kernel, "message")
        self.assertEqual(self.client.finish(msg_id).of("display_data"), [])

    def test_the_compiler(self):
        for way in ("message", "signal"):
            with self.subTest(way=way):
                run, took = self.ended("unrolled(x, Announced(10**6))", way, 0.0)
                self.assertEqual((run.reply["ename"], run.reply["evalue"]),
                                 ("KeyboardInterrupt", "while compiling kernel unrolled"))
                self.assertLess(took, SOON, "its statements have to be freed")
                self.still_works()

    def test_one_that_the_cell_caught_does_not_end_the_next_kernel(self):
        for work in ("for _ in iter(int, 1): pass", "endless(x)", "input('? ')"):
            for way in ("message", "signal"):
                with self.subTest(work=work, way=way):
                    run, _ = self.ended(f"try:\n    {work}\nexcept KeyboardInterrupt:\n"
                                        "    count(x); print('caught', x[31])", way)
                    self.assertEqual((run.reply["status"], run.text()[-10:]), ("ok", "caught 31\n"))


class Manager(unittest.TestCase):
    def test_the_button_of_a_notebook(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run([BINARY, "install-kernel", "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
            specs = KernelSpecManager(kernel_dirs=[os.path.join(prefix, "share/jupyter/kernels")])
            manager = KernelManager(kernel_name="tilelab", kernel_spec_manager=specs)
            manager.start_kernel(extra_arguments=["file.py", "--flag"])  # which jupyter run hands on
            self.addCleanup(manager.shutdown_kernel, now=True)
            client = manager.blocking_client()
            client.start_channels()
            self.addCleanup(client.stop_channels)
            client.wait_for_ready(timeout=10)
            self.assertEqual(client.execute_interactive(KERNELS, timeout=10)["content"]["status"], "ok")
            client.execute("endless(x)")
            time.sleep(0.5 * PATIENCE / 20)
            begun = time.monotonic()
            manager.interrupt_kernel()
            content = client.get_shell_msg(timeout=SOON)["content"]
            self.assertEqual((content["ename"], content["evalue"]), ("KeyboardInterrupt", ENDED))
            self.assertLess(time.monotonic() - begun, SOON)
            shown = []
            client.execute_interactive("count(x); print(kept, x[31])", timeout=10, output_hook=shown.append)
            self.assertEqual([m["content"]["text"] for m in shown if m["msg_type"] == "stream"], ["5 31\n"])


if __name__ == "__main__":
    unittest.main()
