# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the tests with a notebook kernel: test_x.py KERNEL [unittest options]."""

import sys
import unittest

from harness import Kernel

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

    def check(self, code, **content):
        """Runs a cell that must succeed."""
        run = self.client.execute(code, **content)
        self.assertEqual(run.reply["status"], "ok", run.reply.get("traceback"))
        return run


class Own(unittest.TestCase):
    """Each of these ends a separate kernel."""

    def start(self, **options):
        kernel = Kernel(BINARY, **options)
        self.addCleanup(kernel.close)
        return kernel


def interrupt(kernel, way):
    """As front ends do it: by "message" on the control channel, or by "signal"."""
    if way == "message":
        kernel.client.send("interrupt_request", channel="control")
    else:
        kernel.interrupt()
