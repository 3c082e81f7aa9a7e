# SPDX-License-Identifier: Apache-2.0
"""test_wheel.py BUILD [WHEEL]: packs the wheel from a release build, or takes a given one, installs it into a fresh virtual environment
without a network, and uses it. NumPy and jupyter_client are those of this Python. With TILELAB_LONG the suites of the shell and of the
notebook kernel run against the installed command."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "packaging"), os.path.join(ROOT, "tests", "repl")]

import terminal  # noqa: E402

import tilelab_wheel  # noqa: E402

LONG = bool(os.environ.get("TILELAB_LONG"))
KERNEL = '''
import tilelang, tilelang.language as T, numpy as np
@tilelang.jit(out_idx=[-1])
def add(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as block:
            for i in T.Parallel(128):
                B[block * 128 + i] = A[block * 128 + i] + 1
    return main
'''
CALL = "print(add(256)(np.zeros(256, 'float32')).sum())"


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.home = cls.folder.name
        build = os.path.abspath(sys.argv[1])
        cls.wheel = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else tilelab_wheel.make(build, cls.home)
        cls.prefix = os.path.join(cls.home, "environment")
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", cls.prefix], check=True)
        cls.python, cls.tilelab = (os.path.join(cls.prefix, "bin", name) for name in ("python", "tilelab"))
        subprocess.run([cls.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index",
                        "--no-compile", cls.wheel], check=True)
        cls.environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        cls.environment |= {"XDG_STATE_HOME": cls.home, "XDG_CONFIG_HOME": cls.home, "NO_COLOR": "1"}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_tilelab(self, *words, status=0, text=""):
        """What `python -m tilelab WORDS` prints."""
        done = subprocess.run([self.python, "-m", "tilelab", *words], input=text, capture_output=True, text=True, env=self.environment,
                              cwd=self.home, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def file(self, name, text):
        path = os.path.join(self.home, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_size(self):
        self.assertLess(os.path.getsize(self.wheel), 15e6)

    def test_editors_find_the_stub(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            self.assertIn("tilelab/py.typed", wheel.namelist())
            self.assertIn("def gemm(A, B, C", wheel.read("tilelab/language/__init__.pyi").decode())

    def test_command(self):
        version = self.run_tilelab("--version")
        self.assertEqual(version, subprocess.run([self.tilelab, "--version"], capture_output=True, text=True, check=True).stdout)
        self.assertIn(".TH TILELAB", self.run_tilelab("manual"))
        self.assertIn("matplotlib", self.run_tilelab("doctor"))

    def test_plain_python(self):
        """`import tilelab` loads neither the front ends nor their libraries."""
        maps = "print(*{line.split()[-1] for line in open('/proc/self/maps')}, sep='\\n')"
        done = subprocess.run([self.python, "-c", maps], capture_output=True, text=True, env=self.environment, check=True)
        before = set(done.stdout.split("\n"))
        kernel = KERNEL.replace("import tilelang, tilelang.language", "import tilelab as tilelang, tilelab.language")
        path = self.file("plain.py", f"{kernel}\n{CALL}\n{maps}")
        done = subprocess.run([self.python, path], capture_output=True, text=True, env=self.environment, check=True)
        self.assertIn("256.0", done.stdout)
        loaded = [one for one in set(done.stdout.split("\n")) - before if "/tilelab" in one]
        self.assertEqual([os.path.basename(one) for one in loaded], ["_core.abi3.so"])

    def test_demo(self):
        places = "import os, tilelab; print(os.path.dirname(tilelab.__file__))"
        package = self.run_tilelab("-c", places).strip()
        self.assertTrue(package.startswith(self.prefix), package)
        self.assertIn("12 passes", self.run_tilelab(os.path.join(package, "tutorials", "demo.py")))
        shown = self.run_tilelab("--quiet", text="%tutorial\n%help T.copy\n")
        self.assertIn("layouts", shown)
        self.assertIn("T.copy(", shown)

    def test_program(self):
        """Exit handlers, threads and finalizers run as in the program; `__main__` and sys.path are those of the user's code."""
        code = ("import atexit, sys, threading\natexit.register(print, 'at exit')\nprint(sys.argv, sorted(n for n in vars(sys.modules['__main__']) "
                "if not n.startswith('_')))\nthreading.Timer(0.2, print, ['thread']).start()\nsys.exit(7)")
        out = self.run_tilelab("-c", code, "a", status=7)
        self.assertEqual(out, "['-c', 'a'] ['In', 'Out', 'atexit', 'exit', 'quit', 'sys', 'threading']\nthread\nat exit\n")

    def test_check(self):
        path = self.file("race.py", KERNEL.replace("+ 1", "+ B[block * 128 + (i + 1) % 128]") + CALL)
        self.assertIn("race", self.run_tilelab("check", path, status=1))

    def test_compile(self):
        path = self.file("kernel.py", KERNEL + "add(256)\n")
        self.assertIn("__global__", self.run_tilelab("compile", path, "--emit", "c", "--target", "cuda"))

    def test_puzzle(self):
        answer = os.path.join(ROOT, "python", "tilelab", "puzzles", "solutions", "p11_backwards.py")
        self.assertIn("solved", self.run_tilelab("puzzle", "11", "--check", answer))

    def test_shell(self):
        shell = terminal.Terminal(self.tilelab, "--no-init", environment=self.environment, directory=self.home)
        shell.expect(terminal.PROMPT, timeout=30)
        self.assertEqual(shell.run("6 * 7").strip(), "42")
        shell.type("print('runs')\rwhile True: pass\r")
        shell.expect("\nruns")
        shell.expect("while True: pass")
        shell.wait_for_silence()
        shell.interrupt()
        shell.expect("KeyboardInterrupt")
        shell.prompt()
        shell.type("\x04")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(shell.pid, 0)[1]), 0)
        terminal.end_all()

    def test_kernelspec(self):
        """`tilelab install-kernel` in an environment, and the kernelspec of the wheel."""
        self.run_tilelab("install-kernel", "--prefix", os.path.join(self.home, "other"), "--name", "own")
        folder = os.path.join("share", "jupyter", "kernels")
        with open(os.path.join(self.home, "other", folder, "own", "kernel.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["argv"][::3], [self.python, "kernel"])
        self.assertEqual(sorted(os.listdir(os.path.join(self.prefix, folder, "tilelab"))),
                         ["kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"])
        self.assertRegex(self.run_tilelab("doctor"), r"\+ tilelab ")

    def test_notebook(self):
        """A kernel that jupyter_client of the environment starts from the kernelspec of the wheel."""
        script = self.file("notebook.py", f"""
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="tilelab", startup_timeout=120)
def show(message):
    if message["msg_type"] == "stream": print(message["content"]["text"], end="")
client.execute_interactive({KERNEL + CALL!r}, output_hook=show, timeout=120)
client.execute_interactive("import sys; print(sys.executable, sys.prefix)", output_hook=show, timeout=60)
client.execute_interactive("%passes add", output_hook=show, timeout=60)
print(client.execute("while True: pass") and "started")
manager.interrupt_kernel()
print(client.get_shell_msg(timeout=60)["content"]["ename"])
client.stop_channels()
manager.shutdown_kernel()
""")
        done = subprocess.run([self.python, script], capture_output=True, text=True, env=self.environment, check=False)
        if "No module named 'jupyter_client'" in done.stderr:
            self.skipTest("this Python has no jupyter_client")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"256.0\n{self.python} {self.prefix}\n", done.stdout)
        self.assertIn("KeyboardInterrupt", done.stdout)

    @unittest.skipUnless(LONG, "TILELAB_LONG")
    def test_suites(self):
        for words in (["tests/repl/run.py", self.tilelab], ["tests/jupyter/test_kernel.py", self.tilelab],
                      ["tests/jupyter/test_simulator.py", self.tilelab]):
            with self.subTest(words[0]):
                done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, env=self.environment, check=False)
                self.assertIn(done.returncode, (0, 77), done.stdout[-4000:] + done.stderr[-4000:])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
