# SPDX-License-Identifier: Apache-2.0
"""A full memory costs a cell, never the session: test_memory.py KERNEL LIBRARY [unittest options]. The library makes allocations
of C++ fail (failing_new.cpp)."""

import mmap
import os
import random
import resource
import struct
import sys
import tempfile
import unittest

LIBRARY = sys.argv.pop(2)

from case import Own  # noqa: E402

LIMIT = 480 << 20
FILLERS = ["while True: kept.append([0] * 1000)", "while True: kept.append(bytearray(16))", "while True: kept.append(str(len(kept)) * 9)",
           "def f(): kept.append(bytes(100)); f()\nimport sys; sys.setrecursionlimit(10**9)\nwhile True:\n  kept.append({})"]
LONG = bool(os.environ.get("TILELAB_LONG"))
SEED = int(os.environ.get("TILELAB_SEED", "0") or 0) or random.SystemRandom().randrange(1 << 30)
ALL = 1 << 40


class Memory(Own):
    def test_a_full_memory_can_be_given_back(self):
        for filler in FILLERS:
            kernel = self.start(before=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)))
            kernel.client.execute("kept, other = [], 7")
            for _ in range(2):
                self.assertEqual(kernel.client.execute(filler).reply.get("ename"), "MemoryError", filler)
                self.assertEqual(kernel.client.execute("kept.clear()").reply["status"], "ok", (filler, kernel.process.poll()))
                run = kernel.client.execute("print(other, '.' * 100_000)")
                self.assertEqual((run.reply["status"], run.text()[:2]), ("ok", "7 "), filler)
            kernel.close()


class Limits(Own):
    """A kernel that the system's limits do not allow says so and ends; it is not aborted."""

    def printed(self, limit, value):
        kernel = self.start(start=False, before=lambda: resource.setrlimit(limit, (value, value)))
        kernel.spawn()
        self.assertEqual(kernel.wait(), 1, (value, kernel.printed()))
        return kernel.printed()

    def test_few_files(self):
        for files in (12, 16, 24, 40):
            self.assertEqual(self.printed(resource.RLIMIT_NOFILE, files),
                             f"tilelab: a notebook kernel opens 64 files, but the limit is {files} (ulimit -n)\n")

    def test_little_memory(self):
        self.assertIn("threads, but only", self.printed(resource.RLIMIT_AS, 100 << 20))

    def test_a_kernel_runs_or_says_why_not(self):
        """For every limit of the memory; just below what is enough, ZeroMQ would abort."""
        ran = []
        for limit in range(104, 212, 12):  # MiB
            kernel = self.start(start=False, before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit << 20,) * 2))
            try:
                kernel.start()
            except AssertionError:
                self.assertIn("(ulimit -", kernel.printed(), limit)
                ran.append(False)
            else:
                self.assertEqual(kernel.client.execute("print(6 * 7)").text(), "42\n", limit)
                ran.append(True)
            kernel.close()
        self.assertEqual((ran, ran[0], ran[-1]), (sorted(ran), False, True))


class Plan:
    """Which allocations of the kernel fail, in memory that it shares with this test."""

    FIELDS = struct.Struct("4q")

    def __init__(self):
        self.file = tempfile.NamedTemporaryFile()
        self.file.write(bytes(self.FIELDS.size))
        self.file.flush()
        self.memory = mmap.mmap(self.file.fileno(), self.FIELDS.size)
        self.set()

    def set(self, succeed=0, fail=0, least=0):
        """Of the next allocations of at least `least` bytes, some succeed and then some fail."""
        self.FIELDS.pack_into(self.memory, 0, succeed, fail, least, 0)

    def failed(self):
        return self.FIELDS.unpack_from(self.memory)[3]


KERNEL = """
import tilelang, numpy as np
import tilelang.language as T

@tilelang.jit
def twice(A, C: int):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(N):
            B[i] = A[i] * C
    return B
"""
# What a client asks, and what its answer shows.
REQUESTS = {
    "cell": lambda client: (lambda run: (run.reply["status"], run.text(), len(run.of("display_data")), len(run.of("execute_result"))))(
        client.execute("print('a'); display(3); 5", store_history=False)),
    "error": lambda client: client.execute("1/0", store_history=False).reply.get("ename"),
    "completion": lambda client: client.request("complete_request", {"code": "kep", "cursor_pos": 3}).get("matches"),
    "inspection": lambda client: client.request("inspect_request", {"code": "len", "cursor_pos": 3, "detail_level": 0}).get("found"),
    "completeness": lambda client: client.request("is_complete_request", {"code": "if 1:"}).get("status"),
    "history": lambda client: bool(client.request("history_request", {"hist_access_type": "tail", "n": 5, "raw": True}).get("history")),
    "command": lambda client: client.execute("%target", store_history=False).reply["status"],
    "information": lambda client: client.request("kernel_info_request", channel="control").get("status"),
}
COMPILES = ["twice(np.ones(8, 'float32'), number := number + 1)[0]", "twice.compile(N=8, C=(number := number + 1)).source",
            "twice.compile(N=8, C=(number := number + 1)).ir(level='flat')"]
LARGE = ["print('x' * 300_000)", "'y' * 300_000", "raise ValueError('z' * 300_000)", "display('v' * 300_000)", f"len('''{'w' * 300_000}''')"]


class Allocations(Own):
    """No point where an allocation may fail ends the session or loses a variable."""

    def begin(self):
        self.plan = Plan()
        kernel = self.start(env={"LD_PRELOAD": LIBRARY, "TILELAB_FAIL_PLAN": self.plan.file.name})
        kernel.client.execute(KERNEL + "kept, number = 7, 2")
        self.rng = random.Random(SEED)
        return kernel

    def lives(self, kernel, what):
        self.plan.set()
        run = kernel.client.execute("print(kept)")
        self.assertEqual((run.reply["status"], run.text()), ("ok", "7\n"), (SEED, what))

    def test_small_ones_never_fail(self):
        kernel, failed = self.begin(), 0
        expected = {name: request(kernel.client) for name, request in REQUESTS.items()}
        for point in range(3000 if LONG else 60):
            for name in (REQUESTS if LONG else self.rng.sample(sorted(REQUESTS), 2)):
                fail = self.rng.choice((1, 7, ALL))
                self.plan.set(self.rng.randrange(500), fail)
                self.assertEqual(REQUESTS[name](kernel.client), expected[name], (SEED, point, name, fail))
                failed += self.plan.failed()
        self.lives(kernel, "the end")
        self.assertGreater(failed, 1000)

    def points(self, cells, count, most, least, fails):
        kernel, failed = self.begin(), 0
        for _ in range(count):
            code, fail = self.rng.choice(cells), self.rng.choice(fails)
            self.plan.set(self.rng.randrange(most), fail, least)
            run = kernel.client.execute(code)
            failed += min(self.plan.failed(), fail)
            if run.reply["status"] != "ok" and not code.startswith("raise"):
                # BadRequest: xeus drops the error of its copy of the cell, which then has no answer.
                self.assertIn(run.reply["ename"], ("MemoryError", "BadRequest"), (SEED, code[:40], run.reply))
            self.lives(kernel, code[:40])
        return failed

    def test_large_ones_cost_a_cell(self):
        self.assertGreater(self.points(LARGE, 1500 if LONG else 30, 12, 1 << 16, (1, 2, ALL)), 20)

    def test_a_compiler_without_memory_costs_a_cell(self):
        self.assertGreater(self.points(COMPILES, 1500 if LONG else 20, 6000, 0, (1, 50, ALL)), 15)


if __name__ == "__main__":
    print(f"seed {SEED}")
    unittest.main()
