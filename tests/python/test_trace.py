# SPDX-License-Identifier: Apache-2.0
"""kernel.trace() and the debugger: numbers, lines and parts of events, the state after each, stepping in both directions, prints
and assertions that are put on lines."""

import contextlib
import io
import json
import os
import re
import time
import unittest

import numpy as np
import support
import tilelab as tilelang
import tilelab.language as T
from tilelab._kernel import last_failure
from tilelab._tools import heat_maps
from tilelab._tools.debugger import FailedDebugger
from tilelab._tools.probes import Inserted, Printed, compared
from tilelab._tools.trace import State
from tilelab._compiler import records

with open(__file__) as own:
    FIRST = next(number for number, line in enumerate(own, 1) if line.startswith("def steps("))


@T.prim_func
def steps(A: T.Tensor((4, 8), "float32"), B: T.Tensor((4,), "float32")):
    with T.Kernel(2, threads=32) as bx:
        x = T.alloc_fragment((2, 8), "float32")
        s = T.alloc_shared((2,), "float32")
        T.copy(A[bx * 2, 0], x)
        for r in T.serial(2):
            for i in T.Parallel(2):
                s[i] = x[i, 0] + x[i, 1] + r
        for i in T.Parallel(2):
            B[bx * 2 + i] = s[i] + s[0]


@T.prim_func
def two_warps(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), "float32")
        for i in T.Parallel(64):
            s[i] = A[i] + 1.0
        for i in T.Parallel(64):
            A[i] = s[63 - i]


@tilelang.jit(out_idx=[-1], pass_configs={"tilelab.hardware_units": True}, target="sm_90a")
def product(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(N // 64, M // 64, threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[k * 64, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])

    return main


@tilelang.jit(out_idx=[-1])
def handed(N, engine=False):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=256):
            s = T.alloc_shared((32,), "float32")
            f = T.alloc_fragment((32,), "float32")
            full = T.alloc_barrier(128)
            empty = T.alloc_barrier(128)
            for k in range(N // 32):
                with T.ws(1):
                    T.barrier_wait(empty, (k + 1) % 2)
                    if engine:
                        T.tma_copy(A[k * 32:k * 32 + 32], s, barrier=full)
                    else:
                        T.copy(A[k * 32], s)
                    T.barrier_arrive(full)
                with T.ws(0):
                    T.barrier_wait(full, k % 2)
                    T.copy(s, f)
                    T.barrier_arrive(empty)
                    T.copy(f, B[k * 32])

    return main


k = tilelang.compile(steps, out_idx=[1])
A = np.arange(32, dtype="float32").reshape(4, 8)


def session(*commands, **options):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        k.dbg(A, commands=commands, **options)
    return out.getvalue()


class Events(unittest.TestCase):
    def test_lines_and_parts(self):
        trace = k.trace(A, block=(1,))
        self.assertEqual([e["span"]["line"] - FIRST for e in trace.events], [4, 6, 6, 8])
        self.assertEqual([e["names"].get("r") for e in trace.events], [None, 0, 1, None])
        reads, writes = trace.events[0]["touched"]
        self.assertEqual((reads["buffer"], reads["lo"], reads["extent"]), ("A", [2, 0], [2, 8]))
        self.assertEqual((writes["low"], writes["high"]), (16.0, 31.0))
        for text in ("block (1) at tile level: 4 events", "reads A[2:4, 0:8]; writes x[0:2, 0:8] = 16 to 31", "(r = 1)",
                     "reads s[0:2] (up to 3 times each)"):
            self.assertIn(text, " ".join(str(trace).split()))
        self.assertIn("<details>", trace.html)
        self.assertNotIn("<script", trace.html)
        self.assertEqual(json.loads(trace.json)["count"], 4)

    def test_arguments_keep_their_values(self):
        a, b = A.copy(), np.full(4, 7, "float32")
        plain = tilelang.compile(steps)
        plain.trace(a, b)
        self.assertTrue((a == A).all() and (b == 7).all())

    def test_the_values_after_each_event(self):
        trace = k.trace(A)
        sums = [trace.at(n).buffers["s"].values.tolist() for n in (1, 2, 1)]
        self.assertEqual(sums, [[1.0, 17.0], [2.0, 18.0], [1.0, 17.0]])
        moment = trace.at(2)
        self.assertEqual(moment.back().number, 1)
        self.assertEqual(moment.next().buffers["B"].values[:2].tolist(), [4.0, 20.0])
        self.assertIn("s as this event writes it: all of it, once", str(moment))
        self.assertFalse(trace.at(0).buffers["s"].written.any())

    def test_every_level_ends_with_the_same(self):
        for level in ("tile", "thread", "flat"):
            trace = k.trace(A, level=level, steps=(0, 10**6))
            self.assertEqual(trace.at(trace.count - 1).buffers["B"].values[:2].tolist(), [4.0, 20.0], level)

    def test_a_window(self):
        trace = k.trace(A, steps=(1, 3))
        self.assertEqual([e["number"] for e in trace.events], [1, 2])
        self.assertIn("events 1 to 2 of 4", str(trace))

    def test_a_buffer_alone(self):
        trace = k.trace(A, buffer="s")
        self.assertEqual([e["number"] for e in trace.events], [1, 2, 3])
        self.assertIn("s as it is written by these events", str(trace))
        with self.assertRaisesRegex(ValueError, "no event of the block accesses z; they access A, B, s, x"):
            k.trace(A, buffer="z")

    def test_no_such_block(self):
        with self.assertRaisesRegex(ValueError, r"no block \(2\) in a grid of 2 x 1 x 1"):
            k.trace(A, block=(2,))
        with self.assertRaisesRegex(ValueError, "the block has events 0 to 3; no event 9"):
            k.trace(A, at=9)

    def test_a_function_with_two_kernels(self):
        @T.prim_func
        def two(A: T.Tensor((4,), "float32")):
            with T.Kernel(2, threads=32) as bx:
                for i in T.Parallel(2):
                    A[bx * 2 + i] = 1.0
            with T.Kernel(2, threads=32) as bx:
                for i in T.Parallel(2):
                    A[bx * 2 + i] = A[bx * 2 + i] + 1.0

        kernel, a = tilelang.compile(two), np.zeros(4, "float32")
        trace = kernel.trace(a, launch=1)
        self.assertIn("kernel 1 of 2", str(trace))
        self.assertEqual(trace.at(0).buffers["A"].values.tolist(), [2, 2, 1, 1])
        self.assertEqual(kernel.trace(a).at(0).buffers["A"].values.tolist(), [1, 1, 0, 0])
        with self.assertRaisesRegex(ValueError, "no kernel 2: the function launches 2"):
            kernel.trace(a, launch=2)

    def test_barriers_by_hand_wait_at_tile_level_too(self):
        made = handed.compile(N=64).trace(np.ones(64, np.float32))
        rows = {(r["object"], r["agent"], r["verb"]): (r["times"], r["waited"]) for r in made.syncs}
        self.assertEqual(rows, {("barrier full", "role ws1", "arrives at"): (2, 0),
                                ("barrier full", "role ws0", "waits for"): (2, 2),
                                ("barrier empty", "role ws0", "arrives at"): (2, 0),
                                ("barrier empty", "role ws1", "waits for"): (2, 1)})
        went_on = next(e for e in made.events if e["kind"] == "continues")
        began = made.events[went_on["of"]]
        self.assertTrue(began["sync"]["waits"])
        self.assertIn("has to wait: waits for barrier full", str(made))
        waiting = made.at(began["number"]).state.agents[began["agent"]]
        self.assertEqual((waiting["name"], waiting["waits"]), ("role ws0", "waits for barrier full"))

    def test_a_copy_with_a_barrier_completes_later(self):
        made = handed.compile(N=64, engine=True).trace(np.ones(64, np.float32))
        issued = [e for e in made.events if e["late"]]
        completed = [e for e in made.events if e["kind"] == "completes"]
        self.assertEqual([e["of"] for e in completed], [e["number"] for e in issued])
        self.assertEqual(len(issued), 2)

    def test_registers_of_threads(self):
        made = k.trace(A, level="thread")
        touches = [t for e in made.events for t in e["touched"] if t["of_threads"]]
        self.assertTrue({"read", "write"} <= {t["what"] for t in touches})
        self.assertTrue(all(t["extent"][0] <= 32 for t in touches))
        self.assertRegex(str(made), r"writes x\[[^]]*\] of threads 0 to \d+")

    def test_a_window_past_the_end(self):
        with self.assertRaisesRegex(ValueError, "the block has events 0 to 3; no event 900"):
            k.trace(A, steps=(900, 910))

    def test_blocks_that_touch_an_element(self):
        @T.prim_func
        def overlap(A: T.Tensor((100,), "float32"), B: T.Tensor((100,), "float32")):
            with T.Kernel(3, threads=32) as bx:
                for i in T.Parallel(40):
                    B[bx * 30 + i] = A[i]

        made = tilelang.compile(overlap).touched("B", np.ones(100, np.float32), np.zeros(100, np.float32))
        wanted = np.zeros(100, "int64")
        for block in range(3):
            wanted[block * 30:block * 30 + 40] += 1
        self.assertTrue((made.writes == wanted).all())
        self.assertFalse(made.reads.any())
        self.assertIn("B as it is written: 0 of 100 elements by no block, 20 by several (first [30])", str(made))
        self.assertIn("of blocks: · none, 1 one, + several", str(made))
        self.assertIn("orange: several", made.html)
        reads = tilelang.compile(overlap).touched("A", np.ones(100, np.float32), np.zeros(100, np.float32)).reads
        self.assertEqual((reads[:40].tolist(), reads[40:].any()), ([3] * 40, False))

    def test_a_deadlock_shows_who_waits(self):
        text = str.__str__(product(128, 128, 256).ir(after="schedule_pipelines"))
        func, said = tilelang._core.read_ir("stuck", re.sub(r"\n +ring_commit\(\w+\)", "", text, count=1))
        self.assertIsNotNone(func, said)
        trace = type(k)(func).trace(*(np.zeros(shape, "float16") for shape in ((128, 256), (256, 128))))
        self.assertIn("the block ends with deadlock", str(trace))
        self.assertTrue(any(row["stuck"] for row in trace.syncs))
        self.assertIn("(still)", str(trace))

    def test_counts(self):
        touches = [{"lo": [0], "extent": [3], "counts": [], "elements": 3}, {"lo": [2], "extent": [2], "counts": [1, 0], "elements": 1}]
        self.assertEqual(heat_maps.counts(touches, (5,)).tolist(), [1, 1, 2, 0, 0])
        self.assertEqual(heat_maps.text(heat_maps.counts(touches, (5,)))[0], ["11+··"])
        self.assertIn("data:image/png;base64,", heat_maps.png(heat_maps.counts(touches, (5,))))


class Rings(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.a, self.b = (rng.standard_normal(shape).astype("float16") for shape in ((128, 256), (256, 128)))
        self.kernel = product(128, 128, 256)

    def test_threads_synchronize_at_barriers(self):
        rows = self.kernel.trace(self.a, self.b, level="thread", steps=(0, 10**6)).syncs
        self.assertTrue(rows)
        verbs = {row["verb"] for row in rows}
        self.assertTrue({"arrives at", "waits for"} <= verbs or "synchronizes at" in verbs, verbs)
        for row in rows:
            self.assertFalse(row["stuck"], row)

    def test_the_block_computes_what_the_call_does(self):
        whole = self.kernel(self.a, self.b)
        for level in ("tile", "thread"):
            trace = self.kernel.trace(self.a, self.b, block=(1, 1), level=level)
            end = trace.at(trace.count - 1).buffers["C"].values
            self.assertTrue((end[64:, 64:] == whole[64:, 64:]).all(), level)

    def test_scheduled_text(self):
        """The same after the schedule: rings and late copies at tile level."""
        text = str.__str__(self.kernel.ir(after="schedule_pipelines"))
        trace = self.kernel.trace(self.a, self.b, after="schedule_pipelines")
        completed = [e for e in trace.events if e["kind"] == "completes"]
        for event in completed:
            self.assertTrue(trace.events[event["of"]]["late"])
        self.assertIn(" = ring(", text)
        self.assertTrue(completed)
        self.assertTrue(any(row["verb"] == "acquires" for row in trace.syncs), trace.syncs)
        self.assertEqual({a["name"] for a in trace.trace.agents}, {"role producer", "role consumer"})
        for text in (r"acquires ring \w+, slot 0, phase 0", r"has to wait: (acquires|waits for) ring \w+", r"completes event \d+"):
            self.assertRegex(" ".join(str(trace).split()), text)


class Stepping(unittest.TestCase):
    def test_forwards_and_back(self):
        shown = session("s", "p r", "s", "p s.tolist()", "back", "p s.tolist()", "where", "q")
        self.assertIn(f"0: line {FIRST + 4}:", shown)
        self.assertIn("(dbg) p r\n0\n", shown)
        self.assertIn("[1.0, 17.0]", shown)
        self.assertEqual(shown.count(f"1: line {FIRST + 6}:"), 2)
        self.assertIn("-> the block: line", shown)

    def test_breakpoints(self):
        shown = session(f"b {FIRST + 8}", "c", "p s[1]", "rc", "c", "c")
        self.assertIn(f"stops at line {FIRST + 8}", shown)
        self.assertIn("18.0", shown)
        self.assertIn("the block has ended", shown)
        inside = session(f"b {FIRST + 7}", "c")  # a statement inside of a T.Parallel
        self.assertIn(f"1: line {FIRST + 6}:", inside)

    def test_the_writer_of_an_element(self):
        self.assertIn(f"2: line {FIRST + 6}:", session("at 3", "last s[1]").split("last s[1]")[1])
        self.assertIn("nothing before this has written B[0]", session("at 3", "last B[0]"))

    def test_random_walks_see_the_same(self):
        seed = int(os.environ.get("TILELAB_SEED", time.time_ns() % 2**32))
        rng, seen = np.random.default_rng(seed), {}
        for _ in range(20):
            at = int(rng.integers(0, 5))
            shown = session(f"at {at}", "i x", "i s", "i B").split("\n", 1)[1]
            self.assertEqual(seen.setdefault(at, shown), shown, f"TILELAB_SEED={seed}")

    def test_the_writer_of_an_own_register(self):
        said = session("at 60", "last x[0]", "p tid, warp, lane", level="thread", thread=3)
        self.assertRegex(said, r"\(dbg\) last x\[0\]\n\d+: line \d+: ")
        self.assertIn("(3, 0, 3)", said)

    def test_threads(self):
        many = tilelang.compile(two_warps)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            many.dbg(np.zeros(64, "float32"), level="thread", thread=33, commands=["s", "s", "back", "p A.shape, thread"])
        stops = [line for line in out.getvalue().split("\n") if "warp " in line]
        self.assertTrue(len(stops) == 4 and all(": warp 1, line" in line for line in stops), out.getvalue())
        self.assertIn("((64,), 33)", out.getvalue())
        shown = session("at 40", "t 1", "p thread", "names", level="thread")
        self.assertIn("thread 1, of warp 0", shown)
        self.assertIn("(dbg) p thread\n1\n", shown)
        self.assertIn("the block has threads 0 to 31", session("t 32", level="thread"))

    def test_what_is_wrong_is_one_line(self):
        shown = session("p nothing", "b 100000", "at x", "i nothing", "frobnicate")
        for text in ("name 'nothing' is not defined", "no statement of the block is in line 100000",
                     "expected a number, not x", "unknown buffer nothing; buffers are", "unknown command frobnicate"):
            self.assertIn(text, shown)
        self.assertNotIn("Traceback", shown)


class Failing(unittest.TestCase):
    def test_a_failed_run_can_be_looked_at(self):
        @T.prim_func
        def wrong(A: T.Tensor((8,), "float32")):
            with T.Kernel(2, threads=32) as bx:
                s = T.alloc_shared((4,), "float32")
                for i in T.Parallel(4):
                    s[i] = A[bx * 4 + i] * 2.0
                for i in T.Parallel(4):
                    T.device_assert(s[i] < 12.0)
                    A[bx * 4 + i] = s[i]

        kernel = tilelang.compile(wrong)
        with self.assertRaises(tilelang.KernelError), contextlib.redirect_stdout(io.StringIO()):
            kernel(np.arange(8, dtype="float32"))
        state = State(last_failure.run.state)
        self.assertEqual(tuple(state.block), (1, 0, 0))
        self.assertEqual(state.buffers["s"].values.tolist(), [8.0, 10.0, 12.0, 14.0])
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            FailedDebugger(last_failure.run).run(["p s[2]", "n", "i"])
        self.assertIn("12.0", out.getvalue())
        self.assertIn("this is the state after the failed run", out.getvalue())

    def test_a_failed_run_keeps_the_variables_of_its_loops(self):
        @T.prim_func
        def late(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=64):
                for r in T.serial(3):
                    for q in T.serial(4):
                        for i in T.Parallel(8):
                            T.device_assert(A[i] + r * 4 + q < 9.5)

        kernel = tilelang.compile(late)
        for run in (kernel, lambda a: kernel.check(a, level="thread"), lambda a: kernel.check(a, level="flat")):
            with self.assertRaises(tilelang.KernelError), contextlib.redirect_stdout(io.StringIO()):
                run(np.arange(1, 9, dtype="float32") / 4)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                FailedDebugger(last_failure.run).run(["names", "p r * 4 + q"])
            self.assertIn("bx = 0, by = 0, bz = 0, r = 2, q = 0\n", out.getvalue())
            self.assertIn("(dbg) p r * 4 + q\n8\n", out.getvalue())

    def test_the_block_of_a_seed_runs_beside_its_interleaved_blocks(self):
        @T.prim_func
        def sums(A: T.Tensor((64,), "float32"), C: T.Tensor((8,), "float32")):
            with T.Kernel(8, threads=32) as bx:
                for i in T.Parallel(8):
                    C[i] = C[i] + A[bx * 8 + i]

        kernel = tilelang.compile(sums)
        a, c = np.arange(64, dtype="float32"), np.zeros(8, "float32")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            kernel.dbg(a, c, block=(1,), seed=2, commands=["c", "p C[0]"])
            kernel.dbg(a, c, block=(1,), level="thread", commands=["c", "p C[0]"])
        self.assertIn("block (1) at thread level, --seed 2: 1 statement", out.getvalue())
        self.assertIn("(dbg) p C[0]\n56.0\n", out.getvalue())  # of block 7, which read before others wrote
        self.assertTrue(out.getvalue().endswith("(dbg) p C[0]\n8.0\n"), out.getvalue())
        self.assertEqual(c.tolist(), [0] * 8)
        self.assertEqual([e["number"] for e in kernel.trace(a, c, block=(3,), seed=4).events], [0])
        with self.assertRaisesRegex(ValueError, "the tile level has no schedules"):
            kernel.trace(a, c, seed=2, level="tile")
        with self.assertRaisesRegex(ValueError, r"no block \(8\)"):
            kernel.trace(a, c, seed=2, block=(8,))

    def test_a_tensor_that_is_not_given(self):
        @T.prim_func
        def lonely(A: T.Tensor((4,), "float32"), Z: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(4):
                    T.device_assert(A[i] < 3.0)

        kernel, a = tilelang.compile(lonely), np.arange(4, dtype="float32")
        with self.assertRaises(tilelang.KernelError), contextlib.redirect_stdout(io.StringIO()):
            kernel(a, None)
        self.assertEqual(State(last_failure.run.state).buffers["A"].values.tolist(), [0, 1, 2, 3])
        self.assertIn("the block ends with assertion", str(kernel.trace(a, None)))
        self.assertEqual(kernel.trace(a, None, at=0).buffers["A"].values.tolist(), [0, 1, 2, 3])


class Inserting(unittest.TestCase):
    def printed(self, line, expr, a=A, **options):
        inserted = Inserted(k, FIRST + line, expr, **options)
        kernel = type(k)(inserted.func(), k._returns_tuple)
        with records.kept() as runs:
            kernel(a)
        return Printed("steps#1~1", inserted, runs)

    def test_a_print_after_a_line(self):
        events = self.printed(7, "s[i] * 2").events
        self.assertEqual(len(events), 8)
        self.assertEqual({e["block"][0] for e in events}, {0, 1})
        self.assertEqual(sorted(e["values"][0] for e in events if e["block"][0] == 0), [2.0, 4.0, 34.0, 36.0])

    def test_a_whole_buffer(self):
        events = self.printed(4, "x").events
        self.assertEqual(len(events), 2)
        self.assertEqual(events[0]["values"][1, 7], 15.0)

    def test_filters_and_comparison(self):
        one, two = self.printed(7, "s[i]"), self.printed(7, "s[i]", A + (A == 8))
        self.assertEqual(len(one.filtered({"block": (1,)})), 4)
        different = compared(one, two)
        self.assertEqual([(place[0][0], old, new) for *place, old, new in different],
                         [(0, [17.0], [18.0]), (0, [18.0], [19.0])])
        self.assertEqual(compared(one, two, {"block": (1,)}), [])

    def test_of_tiles_the_elements_that_differ(self):
        different = compared(self.printed(4, "x"), self.printed(4, "x", A + (A == 13)))
        self.assertEqual([(block[0], old, new) for block, _, _, old, new in different], [(0, {(1, 5): 13.0}, {(1, 5): 14.0})])

    def test_an_assertion(self):
        inserted = Inserted(k, FIRST + 7, "s[i] < LIMIT", {"LIMIT": 40}, asserts=True)
        kernel = type(k)(inserted.func(), k._returns_tuple)
        with self.assertRaises(tilelang.KernelError) as found, contextlib.redirect_stdout(io.StringIO()) as out:
            kernel(A)
        self.assertRegex(str(found.exception), r"s\[i\] < LIMIT, put on line \d+, s\[i\] is 49\n")
        self.assertIn("iteration i = 1 fails", str(found.exception))
        with self.assertRaisesRegex(tilelang.KernelError, r"s\[i\] is 49"), contextlib.redirect_stdout(io.StringIO()):
            kernel.check(A)
        with contextlib.redirect_stdout(io.StringIO()) as looked:
            FailedDebugger(last_failure.run).run(["names", "l", "where"])
        self.assertIn("bx = 1", looked.getvalue())
        self.assertIn("->", looked.getvalue().split("(dbg) l")[1])
        self.assertIn("s[i] < LIMIT, put on line", out.getvalue())
        self.assertIn("s[i] = ", out.getvalue())
        self.assertEqual(tuple(State(last_failure.run.state).block), (1, 0, 0))

    def test_code_for_a_gpu_has_it(self):
        inserted = Inserted(k, FIRST + 7, "s[i]")
        kernel = type(k)(inserted.func().changed(target="sm_90a"), k._returns_tuple)
        self.assertIn("record", kernel.get_kernel_source())
        self.assertNotIn("record", k.get_kernel_source())

    def test_what_can_not_stand_there(self):
        with self.assertRaisesRegex(ValueError, "no statement of the kernel is in line 1; the next one is in line"):
            Inserted(k, 1, "bx")
        with self.assertRaisesRegex(ValueError, "nothing is not valid in line"):
            Inserted(k, FIRST + 7, "nothing").func()
        with self.assertRaisesRegex(ValueError, "1 [+] is not an expression"):
            Inserted(k, FIRST + 7, "1 +")


if __name__ == "__main__":
    unittest.main()
