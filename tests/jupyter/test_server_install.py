# SPDX-License-Identifier: Apache-2.0
"""install-kernel, with the fake kernel's binary."""

import json
import os
import struct
import subprocess
import tempfile
import time
import unittest
import zlib
from xml.etree import ElementTree

from case import BINARY
from harness import SOON
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager


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
        self.assertEqual(spec.metadata, {"debugger": True, "supported_encryption": ["curve"]})
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
        reply = client.get_shell_msg(timeout=SOON)
        while reply["parent_header"].get("msg_id") != msg_id:
            reply = client.get_shell_msg(timeout=SOON)
        self.assertEqual(reply["content"]["ename"], "KeyboardInterrupt")
        manager.shutdown_wait_time = 4 * SOON
        begun = time.monotonic()
        manager.shutdown_kernel()
        self.assertLess(time.monotonic() - begun, SOON, "the manager had to kill it")

    def test_the_virtual_environment_is_kept(self):
        """Installs into the active environment or the given one, and reports which."""
        environment = os.path.join(self.prefix, "venv")
        os.makedirs(environment)
        open(os.path.join(environment, "pyvenv.cfg"), "w").close()
        places = {"active": (["--prefix", self.prefix], environment), "its own": (["--prefix", environment], ""),
                  "a relative one": (["--prefix", os.path.relpath(environment)], ""),
                  "sys-prefix": (["--sys-prefix"], environment)}
        for name, (arguments, active) in places.items():
            with self.subTest(name):
                run = self.run_it(*arguments, VIRTUAL_ENV=active)
                self.assertIn(f"it runs no Python, with the packages of {environment}\n", run.stdout)
                prefix = self.prefix if name == "active" else environment
                with open(os.path.join(prefix, "share/jupyter/kernels/tilelab/kernel.json")) as file:
                    self.assertEqual(json.load(file)["env"], {"VIRTUAL_ENV": environment})
        run = self.run_it("--prefix", self.prefix, VIRTUAL_ENV=self.prefix + "/nothing")
        self.assertIn("active when Jupyter starts", run.stdout)
        with open(os.path.join(self.prefix, "share/jupyter/kernels/tilelab/kernel.json")) as file:
            self.assertNotIn("env", json.load(file))

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
        self.assertIn("no kernel tilelab", again.stderr)

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


if __name__ == "__main__":
    unittest.main()
