# SPDX-License-Identifier: Apache-2.0
"""A full memory costs a cell, never the session: test_memory.py KERNEL LIBRARY [unittest options]. The library makes allocations
of C++ fail (failing_new.cpp)."""

import os
import resource
import sys
import unittest

LIBRARY = sys.argv.pop(2)

from case import Own  # noqa: E402

LIMIT = 480 << 20
FILLERS = ["while True: kept.append([0] * 1000)", "while True: kept.append(bytearray(16))", "while True: kept.append(str(len(kept)) * 9)",
           "def f(): kept.append(bytes(100)); f()\nimport sys; sys.setrecursionlimit(10**9)\nwhile True:\n  kept.append({})"]
LONG = bool(os.environ.get("TILELAB_LONG"))


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

    def test_an_allocation_that_fails_anywhere(self):
        for every in range(1500, 2500, 10 if LONG else 300):
            kernel = self.start(env={"LD_PRELOAD": LIBRARY, "TILELAB_FAIL_EVERY": str(every)})
            client = kernel.client
            with open(f"/proc/{kernel.process.pid}/maps") as maps:
                self.assertIn(os.path.basename(LIBRARY), maps.read())
            for n in range(20):
                run = client.execute(f"print({n}); display({n}); {n}")
                self.assertEqual((run.reply["status"], run.text()), ("ok", f"{n}\n"), (every, run.reply))
                self.assertEqual(client.execute("1/0").reply["ename"], "ZeroDivisionError", every)
                self.assertEqual(client.request("complete_request", {"code": "pri", "cursor_pos": 3})["matches"], ["print"], every)
                self.assertEqual(client.request("inspect_request", {"code": "len", "cursor_pos": 3, "detail_level": 0})["found"], True, every)
                self.assertEqual(client.request("is_complete_request", {"code": "if 1:"})["status"], "incomplete", every)
                client.request("history_request", {"hist_access_type": "tail", "n": 5, "output": True, "raw": True})
            kernel.close()


if __name__ == "__main__":
    unittest.main()
