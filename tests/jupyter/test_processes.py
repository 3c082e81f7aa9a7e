# SPDX-License-Identifier: Apache-2.0
"""Programs that cells start end with an interrupt of the cell and with the kernel: test_processes.py KERNEL [unittest options]"""

import itertools
import os
import signal
import subprocess
import time
import unittest

from case import Own, interrupt
from harness import PATIENCE, SOON

_numbers = itertools.count(os.getpid() * 1000 % 900_000_000 + 100_000_000)  # seconds to sleep, by which a program is found

RUNNING = {
    "bash": "%%bash\nsleep {n}\necho done", "sh": "%%sh\nsleep {n}\necho done", "pipeline": "%%bash\nsleep {n} | cat",
    "job": "%%bash\nsleep {n} &\nsleep {n}", "command": "!sleep {n}; echo", "lines": "x = !sleep {n}; echo",
    "system": "import os; os.system('sleep {n}')", "run": "import subprocess; subprocess.run('sleep {n}; echo', shell=True)",
    "deaf": "%%bash\ntrap '' INT\nsleep {n}\nsleep {n}",
}
LEFT = {
    "background": "%%bash --bg\nsleep {n}", "job": "%%bash\nsleep {n} &>/dev/null &", "Popen": "import subprocess; p = subprocess.Popen(['sleep', '{n}'])",
    "group": "import subprocess; p = subprocess.Popen(['sleep', '{n}'], process_group=0)",
    "deaf": "import subprocess; p = subprocess.Popen(['sh', '-c', \"trap '' TERM HUP INT; sleep {n}\"])",
    "pool": "import os, concurrent.futures\npool = concurrent.futures.ProcessPoolExecutor(2); pool.submit(os.system, 'sleep {n}')",
}


COMPILED = """
import numpy as np, tilelang
import tilelang.language as T

@tilelang.jit(target="c")
def k(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(N):
            B[i] = A[i]
    return B

k(np.zeros(8, "float32"))
"""


def running(number, of=b""):
    """The programs whose command line begins with `of` and ends in `number`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().rstrip(b"\0")
                if line.startswith(of) and line.endswith(f"{number}".encode()):
                    found.append(int(pid))
        except OSError:
            pass
    return found


class Processes(Own):
    def until(self, holds, what):
        end = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)


class Interrupts(Processes):
    def test_an_interrupt_ends_what_the_cell_started(self):
        kernel = self.start()
        for (name, code), way in itertools.product(RUNNING.items(), ("message", "signal")):
            if name == "deaf" and way == "signal":
                continue  # two seconds
            number = next(_numbers)
            cell = kernel.client.start(code.format(n=number))
            # Not only its shell, which survives a signal that comes before its program.
            self.until(lambda: running(number, of=b"sleep"), name)
            interrupt(kernel, way)
            run = kernel.client.finish(cell)
            if name != "system":  # as in Python, it returns the status
                self.assertEqual(run.reply.get("ename"), "KeyboardInterrupt", (name, way, run.reply))
            self.until(lambda: not running(number), (name, way, running(number)))
            self.assertEqual(kernel.client.execute("1").reply["status"], "ok")

    def test_an_interrupt_leaves_what_earlier_cells_started(self):
        kernel, number = self.start(), next(_numbers)
        kernel.client.execute(f"%%bash --bg\nsleep {number}")
        cell = kernel.client.start("import time; time.sleep(30)")
        time.sleep(0.2)
        interrupt(kernel, "message")
        kernel.client.finish(cell)
        self.assertEqual(len(running(number)), 1)

    def test_an_interrupt_while_a_program_starts_ends_it(self):
        kernel = self.start()
        kernel.client.execute("import signal, subprocess\nclass Interrupted(subprocess.Popen):\n"
                              "  def __init__(self, *words, **options):\n    super().__init__(*words, **options)\n"
                              "    signal.raise_signal(signal.SIGINT)\nsubprocess.Popen = Interrupted")
        for name in ("command", "lines", "bash"):
            number = next(_numbers)
            run = kernel.client.execute(RUNNING[name].format(n=number))
            self.assertEqual(run.reply.get("ename"), "KeyboardInterrupt", (name, run.reply))
            self.until(lambda: not running(number), (name, running(number)))


class Overtaken(Own):
    def overtaken(self, client_of):
        """The cell and the interrupt go by separate sockets."""
        kernel = self.start()
        client = client_of(kernel)
        client.reply_to(client.send("kernel_info_request", channel="control"), "control")
        for _ in range(30):
            cell = kernel.client.start("import time; time.sleep(60)")
            client.send("interrupt_request", channel="control")
            self.assertEqual(kernel.client.finish(cell).reply.get("ename"), "KeyboardInterrupt")
        client.send("interrupt_request", channel="control")  # of no cell
        self.assertEqual(kernel.client.execute("print(1)").text(), "1\n")

    def test_an_interrupt_sent_with_its_cell_ends_it(self):
        self.overtaken(lambda kernel: kernel.client)

    def test_an_interrupt_sent_by_a_server_ends_the_cell(self):
        """Its session is not the cell's."""
        self.overtaken(lambda kernel: kernel.new_client())

    def test_an_interrupt_of_an_earlier_cell_leaves_the_next(self):
        """It was sent before the cell, and arrives while it runs."""
        kernel = self.start()
        client = kernel.client
        client.reply_to(client.send("kernel_info_request", channel="control"), "control")
        late = client.session.msg("interrupt_request")
        cell = client.start("import time; time.sleep(0.5); print(1)")
        time.sleep(0.2)
        client.session.send(client.sockets["control"], late)
        self.assertEqual(client.finish(cell).text(), "1\n")


class Ends(Processes):
    def test_no_end_leaves_a_program(self):
        ends = {"shutdown": lambda kernel: kernel.client.send("shutdown_request", {"restart": False}, "control"),
                "SIGTERM": lambda kernel: kernel.process.send_signal(signal.SIGTERM),
                "SIGHUP": lambda kernel: kernel.process.send_signal(signal.SIGHUP)}
        for name, end in ends.items():
            kernel, number = self.start(), next(_numbers)
            detached, beside = next(_numbers), next(_numbers)
            other = subprocess.Popen(["sleep", str(beside)])
            self.addCleanup(other.wait)
            self.addCleanup(other.kill)
            for code in LEFT.values():
                self.assertEqual(kernel.client.execute(code.format(n=number)).reply["status"], "ok", code)
            kernel.client.execute(f"subprocess.Popen(['sleep', '{detached}'], start_new_session=True)")
            kernel.client.start(RUNNING["bash"].format(n=number))
            self.until(lambda: len(running(number)) >= len(LEFT) + 1, name)
            begun = time.monotonic()
            end(kernel)
            kernel.wait()
            self.assertLess(time.monotonic() - begun, SOON)
            self.until(lambda: not running(number), (name, running(number)))
            self.assertEqual(len(running(detached)) + len(running(beside)), 2, name)
            for pid in running(detached):
                os.kill(pid, signal.SIGKILL)

    def test_a_killed_kernel_leaves_no_compiler(self):
        for group in (False, True):
            kernel, number = self.start(), next(_numbers)
            compiler = os.path.join(kernel.dir.name, "compiler")
            with open(compiler, "w") as file:
                file.write(f"#!/bin/sh\nsleep {number}\n:\n")
            os.chmod(compiler, 0o755)
            kernel.client.execute(f"import os; os.environ['TILELAB_CXX'] = {compiler!r}")
            kernel.client.start(COMPILED)
            self.until(lambda: running(number), group)
            if group:
                os.killpg(kernel.process.pid, signal.SIGKILL)
            else:
                kernel.process.kill()
            self.until(lambda: not running(number), (group, running(number)))


if __name__ == "__main__":
    unittest.main()
