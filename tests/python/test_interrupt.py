# SPDX-License-Identifier: Apache-2.0
"""Signals in a plain python3 that imports tilelab: Ctrl-C and any handler that raises end a
simulation and a compilation, the program continues, and the next kernel runs."""

import os
import signal
import subprocess
import sys
import time
import unittest

import support

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import stopping  # noqa: E402

SOON = 10.0  # seconds, on any machine: less than the work that a signal ends; how many milliseconds is measured by bench/
PAUSE = 0.2 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # for work without an end: until it is well under way

KERNELS = """
import numpy as np, signal, sys, threading, time
import tilelab as tilelang, tilelab.language as T
""" + stopping.KERNELS + stopping.ANNOUNCED + """
def unrolled(n):
    @T.prim_func
    def unrolled(x: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=32):
            for i in Announced(n):
                x[0] = i
    return unrolled

@tilelang.jit
def many(x, n: int, at: int):
    x: T.Tensor((32,), "int32")
    with T.Kernel(1, threads=32):
        for i in Announced(n, at):
            x[i % 32] = x[(i * 7 + 1) % 32] + i

x = np.zeros(32, "int32")

def caught(function, *arguments):
    if function is endless: print("begun", flush=True)
    try:
        function(*arguments)
    except BaseException as error:
        print(type(error).__name__, "|", *error.args, flush=True)

def still_works():
    count(x)
    print("then", x[31], flush=True)
"""


class Program:
    """A python3 that runs the kernels above and `code`."""

    def __init__(self, code):
        self.process = subprocess.Popen([sys.executable, "-c", KERNELS + code], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=support.environment())

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def interrupt(self, pause=0.0):
        """Waits for "begun", then `pause` seconds; gives the next line and the time until it came."""
        assert self.line() == "begun", self.process.communicate(timeout=5)
        time.sleep(pause)
        begun = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        return self.line(), time.monotonic() - begun

    def end(self):
        # Not communicate(): what readline() has buffered would be lost.
        out, error = self.process.stdout.read(), self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return out, error, self.process.wait(30)


class Interrupts(unittest.TestCase):
    def test_an_endless_kernel_at_each_level(self):
        for level in ("tile", "thread", "flat"):
            with self.subTest(level=level):
                program = Program(f"from tilelab._compiler import settings\nsettings.device = 'sim:{level}'\n"
                                  "caught(endless, x)\nstill_works()\n")
                said, took = program.interrupt(PAUSE)
                self.assertEqual(said, "KeyboardInterrupt | kernel endless, after 1 of 3 blocks")
                self.assertLess(took, SOON)
                self.assertEqual(program.end(), ("then 31\n", "", 0))

    def test_a_compile_time_loop(self):
        program = Program("caught(unrolled, 10**6)\nstill_works()\n")  # as many items as a kernel may loop over
        said, took = program.interrupt()
        self.assertEqual(said, "KeyboardInterrupt | while compiling kernel unrolled")
        self.assertLess(took, SOON, "its statements have to be freed")
        self.assertEqual(program.end(), ("then 31\n", "", 0))

    def test_a_host_range_of_compile_time_is_no_list(self):
        program = Program("""
def ranged(n):
    @T.prim_func
    def ranged(x: T.Tensor((32,), "int32")):
        for i in range(n):
            pass
        with T.Kernel(1, threads=32):
            x[0] = 1
    return ranged
print("begun", flush=True)
caught(ranged, 10**12)  # a list of them would take all memory, and the loop takes hours
still_works()
""")
        said, took = program.interrupt(PAUSE)
        self.assertEqual(said, "KeyboardInterrupt | while compiling kernel ranged")
        self.assertLess(took, SOON)
        self.assertEqual(program.end(), ("then 31\n", "", 0))

    def test_elaboration_and_passes(self):
        items = 200_000  # whose passes take seconds
        for at, pause in ((0, 0.0), (items // 2, 0.0), (items, 0.0), (items, 0.3)):
            with self.subTest(at=at, pause=pause):
                program = Program(f"caught(lambda: many.compile(n={items}, at={at}))\nstill_works()\n")
                said, took = program.interrupt(pause)
                self.assertEqual(said, "KeyboardInterrupt | while compiling kernel many")
                self.assertLess(took, SOON, "its statements have to be freed")
                self.assertEqual(program.end(), ("then 31\n", "", 0))

    def test_between_the_parts_of_a_compilation(self):
        for between in ("ignored_options.note", "source.capture", "Captures"):
            with self.subTest(between=between):
                program = Program(f"import tilelab.jit._impl as impl\nkept = impl.{between}\n"
                                  f"impl.{between} = lambda *_: signal.raise_signal(signal.SIGINT)\n"
                                  f"caught(lambda: many.compile(n=2, at=-1))\nimpl.{between} = kept\nstill_works()\n")
                self.assertEqual(program.end(), (
                    "KeyboardInterrupt | while compiling kernel many\nthen 31\n", "", 0))

    def test_uncaught_it_ends_the_program(self):
        program = Program("print('begun', flush=True)\nendless(x)\n")
        program.interrupt(PAUSE)
        out, error, status = program.end()
        self.assertEqual((out, status), ("", -signal.SIGINT))
        self.assertIn("KeyboardInterrupt: kernel endless, after 1 of 3 blocks", error)

    def test_a_handler_of_the_user_that_raises(self):
        program = Program("def late(*_): raise TimeoutError('enough')\nsignal.signal(signal.SIGALRM, late)\n"
                          "signal.setitimer(signal.ITIMER_REAL, 0.3)\ncaught(endless, x)\nstill_works()\n")
        self.assertEqual(program.end(), ("begun\nTimeoutError | enough\nthen 31\n", "", 0))

    def test_a_handler_that_does_not_raise_lets_the_kernel_go_on(self):
        program = Program("""
def note(*_): print("noted", flush=True)
signal.signal(signal.SIGINT, note)
def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
caught(endless, x)
still_works()
""")
        said, took = program.interrupt(PAUSE)
        self.assertEqual(said, "noted")
        self.assertLess(took, SOON)
        program.process.send_signal(signal.SIGALRM)
        self.assertEqual(program.end(), ("TimeoutError |\nthen 31\n", "", 0))

    def test_a_thread_of_the_program_is_left_alone_and_the_others_run_on(self):
        program = Program("""
k, woken = count.compile(), False
def work():
    for _ in range(100): k(x)
    while not woken: k(x)
    k(x)
    print("worked", x[31], flush=True)
t = threading.Thread(target=work)
print("begun", flush=True)
t.start()
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("woken", flush=True)
    woken = True
t.join()
""")
        self.assertEqual(program.interrupt(PAUSE)[0], "woken")
        self.assertEqual(program.end(), ("worked 31\n", "", 0))


if __name__ == "__main__":
    unittest.main()
