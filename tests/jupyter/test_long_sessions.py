# SPDX-License-Identifier: Apache-2.0
"""Sessions that last, and several at once: test_long_sessions.py KERNEL [unittest options]. A run's seed is printed;
TILELAB_SEED=n repeats it."""

import os
import pathlib
import random
import sys
import tempfile
import time
import unittest

from case import BINARY, Own, Shared

SEED = int(os.environ.get("TILELAB_SEED") or random.randrange(10**6))
KERNEL = """import numpy as np, tilelang, tilelang.language as T
@tilelang.jit(out_idx=[-1])
def scale(n, by):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * by
    return main
"""
# Cells of a mixed session; each ends on its own within a second or two.
WORK = [
    "for i in range(3_000_000): pass", "import time; time.sleep(1)", "print('x' * 100, flush=True); time.sleep(0.5)",
    "import subprocess; subprocess.run(['sleep', '1'])", "by += 1; scale(6400, by)(np.ones(6400, 'float32')).sum()",
    "scale(640_000, 2.0)(np.ones(640_000, 'float32')).sum()", "for i in range(20000): print(i)",
    "await asyncio.sleep(1)", "%check scale(6400, 3.0)(np.ones(6400, 'float32'))", "%ir scale(6400, 3.0)", "!sleep 0.5",
    "try:\n    time.sleep(1)\nfinally:\n    done = True", "sum(i * i for i in range(2_000_000))", "input('? ')",
]


class Interrupts(Own):
    @staticmethod
    def interrupt(kernel, way):
        """Awaits the answer of each message, so that later ones are not interrupted."""
        if way == "message":
            kernel.client.reply_to(kernel.client.send("interrupt_request", channel="control"), "control")
        else:
            kernel.interrupt()

    def test_at_random_moments_of_a_mixed_session(self):
        chance = random.Random(SEED)
        kernel = self.start()
        client = kernel.client
        client.execute("import asyncio, time\nkept = {'a': [1, 2, 3]}\nby = 0\n" + KERNEL)
        interrupted = 0
        for n in range(200):
            code, way = chance.choice(WORK), chance.choice(["message", "signal"])
            with self.subTest(seed=SEED, n=n, code=code, way=way):
                msg_id = client.start(code)
                time.sleep(chance.choice([0, 0.0005, 0.002, 0.01, 0.03, 0.1]))
                self.interrupt(kernel, way)
                # One that arrives before the cell begins does not belong to it.
                if not client.sockets["shell"].poll(500):
                    self.interrupt(kernel, "message")
                reply = client.reply_to(msg_id)["content"]
                client.outputs_of(msg_id)
                self.assertIn(reply.get("ename", "ok"), ("ok", "KeyboardInterrupt"), reply.get("traceback"))
                interrupted += reply["status"] == "error"
                check = client.execute("kept")
                if way == "signal" and check.reply.get("ename") == "KeyboardInterrupt":  # it came when the cell had ended
                    check = client.execute("kept")
                self.assertEqual(check.of("execute_result")[0]["data"]["text/plain"], "{'a': [1, 2, 3]}")
        self.assertGreater(interrupted, 50)
        run = client.execute("print(scale(6400, 2.0)(np.ones(6400, 'float32')).sum())")
        self.assertEqual(run.text().splitlines()[-1:], ["12800.0"], run.reply.get("traceback"))


class Queues(Shared):
    def test_a_thousand_cells_with_an_error_in_the_middle(self):
        self.check("done = []\nimport os, time")
        all_sent = pathlib.Path(tempfile.mkdtemp(), "sent")  # a cell that is sent after the error runs
        ids = [self.client.start(f"while not os.path.exists({str(all_sent)!r}): time.sleep(0.01)")]
        ids += [self.client.start("1/0" if n == 500 else f"time.sleep(0.0002); done.append({n})") for n in range(1000)]
        all_sent.touch()
        self.assertEqual(self.client.finish(ids.pop(0)).reply["status"], "ok")
        states = []
        for msg_id in ids:
            states.append(self.client.reply_to(msg_id)["content"])
            self.client.outputs_of(msg_id)
        self.assertEqual([s["status"] for s in states[:500]], ["ok"] * 500)
        self.assertEqual(states[500]["ename"], "ZeroDivisionError")
        later = [s.get("ename", "ran") for s in states[501:]]
        self.assertEqual(set(later), {"Aborted"}, later[:10])
        self.assertEqual(self.check("len(done), done == list(range(500))").of("execute_result")[0]["data"]["text/plain"],
                         "(500, True)")

    def test_two_clients_share_a_session(self):
        second = self.kernel.new_client()
        time.sleep(0.1)
        second.request("kernel_info_request")
        self.check("shared = 1")
        ids = [(c, c.start(f"shared += {i}; print('{name}', {i})")) for i in range(20)
               for name, c in (("first", self.client), ("second", second))]
        for client, msg_id in ids:
            run = client.finish(msg_id)
            self.assertEqual(run.reply["status"], "ok")
            self.assertEqual(run.text().split()[0], "first" if client is self.client else "second")
        self.assertEqual(self.check("shared").of("execute_result")[0]["data"]["text/plain"], "381")
        failing = self.client.start("time = __import__('time'); time.sleep(0.2); 1/0")
        others = [second.start(f"print({i})") for i in range(3)]
        self.client.finish(failing)
        self.assertEqual([second.finish(i).text() for i in others], ["0\n", "1\n", "2\n"])


class CodePoints(Shared):
    """Cursors count Unicode's code points, whatever bytes or halves an encoding has."""

    def test_completion(self):
        self.check("name_of_mine = 1")
        for text in ("'\U0001f600\U0001f600'; name_of_m", "# \u00e9\nname_of_m", "\u540d = name_of_m",
                     "'e\u0301\U0001f468\u200d\U0001f469'; name_of_m"):
            reply = self.client.request("complete_request", {"code": text + " + 1", "cursor_pos": len(text)})
            self.assertEqual(reply["matches"], ["name_of_mine"], text)
            self.assertEqual((reply["cursor_start"], reply["cursor_end"]), (len(text) - len("name_of_m"), len(text)))

    def test_names_that_are_no_ascii(self):
        self.check("gr\u00f6\u00dfe = 1")
        text = "'\U0001f600'; gr\u00f6"
        reply = self.client.request("complete_request", {"code": text, "cursor_pos": len(text)})
        self.assertEqual((reply["matches"], reply["cursor_start"]), (["gr\u00f6\u00dfe"], len(text) - 3))

    def test_inspection(self):
        text = "'\U0001f600' + zip"
        reply = self.client.request("inspect_request", {"code": text, "cursor_pos": len(text)})
        self.assertTrue(reply["found"])
        self.assertFalse(self.client.request("inspect_request", {"code": text, "cursor_pos": 1})["found"])

    def test_commands(self):
        text = "# \U0001f600\n%timei"
        reply = self.client.request("complete_request", {"code": text, "cursor_pos": len(text)})
        self.assertEqual((reply["matches"], reply["cursor_start"]), (["%timeit"], len(text) - 6))

    def test_carets_of_errors(self):
        lines = self.client.execute("x = '\U0001f600' + 1").reply["traceback"]
        self.assertEqual(lines[-2].index("^"), lines[-3].index("'\U0001f600'"), lines)


if __name__ == "__main__":
    print("seed", SEED, file=sys.stderr)
    unittest.main()
