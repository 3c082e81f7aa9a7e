# SPDX-License-Identifier: Apache-2.0
"""Kernels in processes that fork: child and parent both run them and both can be interrupted, whatever the parent did
before or does meanwhile; and a process with idle threads ends cleanly."""

import subprocess
import sys
import unittest

import support
from test_interrupt import KERNELS

HEAD = KERNELS + """
import faulthandler, multiprocessing, os
faulthandler.dump_traceback_later(40, exit=True)
def status_of(code):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            code()
            os._exit(7)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
def runs(_=None):
    y = np.zeros(32, "int32")
    count(y)
    assert y[31] == 31
    return int(y.sum())
def ended():
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        endless(np.zeros(32, "int32"))
    except TimeoutError:
        return runs()
def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
"""


def program(code):
    done = subprocess.run([sys.executable, "-c", HEAD + code], text=True, capture_output=True, timeout=60,
                          env=support.environment())
    return done.stdout, done.stderr, done.returncode


class Forks(unittest.TestCase):
    def test_child_and_parent_go_on(self):
        out = program("runs()\nfor _ in range(20): assert status_of(runs) == 7\nprint(runs(), status_of(ended))\n"
                      "grandchild = lambda: sys.exit(status_of(runs) != 7)\nrunner = lambda: os._exit(status_of(ended))\n"
                      "print(status_of(runner))\n")
        self.assertEqual(out, ("496 7\n7\n", "", 0))

    def test_multiprocessing(self):
        out = program("runs()\nwith multiprocessing.get_context('fork').Pool(2) as pool:\n"
                      "    print(sum(pool.map(runs, range(20))))\nprint(ended())\n")
        self.assertEqual(out, ("9920\n496\n", "", 0))

    def test_while_other_threads_run_kernels(self):
        out = program("""
stop = False
def work():
    while not stop: runs()
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for _ in range(20): assert status_of(runs) == 7
stop = True
for t in threads: t.join()
print(status_of(ended), ended())
""")
        self.assertEqual(out, ("7 496\n", "", 0))

    def test_in_a_handler_while_a_kernel_runs(self):
        """The child comes back into a call whose work is the parent's."""
        out = program("""
def fork(*_):
    global child
    child = os.fork()
    if child: raise TimeoutError
signal.signal(signal.SIGALRM, fork)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    endless(x)
except TimeoutError:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), runs())
except RuntimeError as error:
    print(error, "|", runs(), flush=True)
    os._exit(7)
""")
        self.assertEqual(out, ("this work continues only in the parent process | 496\n7 496\n", "", 0))


class Endings(unittest.TestCase):
    def test_idle(self):
        for code in ("", "sys.exit(3)\n", "os._exit(3)\n"):
            self.assertEqual(program("runs()\n" + code), ("", "", 3 if code else 0))

    def test_while_a_thread_runs_a_kernel(self):
        code = "threading.Thread(target=lambda: endless(x), daemon=True).start()\ntime.sleep(0.05)\nruns()\n"
        self.assertEqual(program(code), ("", "", 0))


if __name__ == "__main__":
    unittest.main()
