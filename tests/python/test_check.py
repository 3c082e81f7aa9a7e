# SPDX-License-Identifier: Apache-2.0
"""kernel.check(): what it raises, what it gives, and that it changes nothing. Its texts: tests/checks."""

import contextlib
import io
import json
import re
import sys
import types
import unittest
import unittest.mock

import numpy as np
import support
import tilelab as tilelang
import tilelab.language as T
from tilelab._kernel import arguments
from tilelab._tools import check as checking
from tilelab._tools.exact import call_reference


@T.prim_func
def double(A: T.Tensor((1024,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        for i in T.Parallel(128):
            A[bx * 128 + i] = A[bx * 128 + i] * 2.0


@T.prim_func
def sorted_lines(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
    with T.Kernel(1, threads=96):
        s = T.alloc_shared((4, 64), "float32")
        T.copy(A, s)
        for k in T.serial(4):
            T.sort(s[k, 0:64])
        T.copy(s, B)


@T.prim_func
def gathered(A: T.Tensor((1024,), "int32"), B: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        for i in T.Parallel(128):
            C[bx * 128 + i] = B[A[bx * 128 + i]]


@T.prim_func
def two_warps(A: T.Tensor((64,), "float32"), B: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        if tx == 3:
            T.print(A[tx], "seen")
        B[tx % 32] = A[tx]


@T.prim_func
def product(A: T.Tensor((512, 128), "float16"), B: T.Tensor((128, 256), "float16"), C: T.Tensor((512, 256), "float16")):
    with T.Kernel(2, 4, threads=128) as (bx, by):
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((64, 128), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.clear(c)
        for k in T.Pipelined(2, num_stages=3):
            T.copy(A[by * 128, k * 64], a)
            T.copy(B[k * 64, bx * 128], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 128, bx * 128])


@T.prim_func
def sums(A: T.Tensor((64,), "float32"), C: T.Tensor((8,), "float32")):
    with T.Kernel(8, threads=32) as bx:
        for i in T.Parallel(8):
            C[i] = C[i] + A[bx * 8 + i]


@T.prim_func
def sums_of_distant_rows(A: T.Tensor((64,), "float32"), C: T.Tensor((8,), "float32")):
    with T.Kernel(64, threads=64) as bx:  # a block and the eighth after it
        s = T.alloc_shared((1,), "float32")
        s[0] = A[bx]
        if T.get_thread_binding() == 0:
            C[bx % 8] += s[0]


@T.prim_func
def kept(C: T.Tensor((1,), "float32")):
    with T.Kernel(8, threads=32):
        C[0] = C[0] * 1.0


@T.prim_func
def atomic_sums(A: T.Tensor((64,), "float32"), C: T.Tensor((8,), "float32")):
    with T.Kernel(8, threads=32) as bx:
        for i in T.Parallel(8):
            T.atomic_add(C[i], A[bx * 8 + i])


def described_of(kernel, *values):
    described, *memory = arguments.describe(kernel, values)
    return described, memory  # which has to live as long


@T.prim_func
def pipelined(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(1, threads=32):
        s = T.alloc_shared((16, 32), "float16")
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[k * 16, 0], s)
            T.copy(s, B[k * 16, 0])


@T.prim_func
def inverse(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        for i in T.Parallel(128):
            B[bx * 128 + i] = 1.0 / A[bx * 128 + i]


class Check(unittest.TestCase):
    def test_a_tile_that_is_sorted_in_place_is_read_before_it_is_written(self):
        a = np.random.default_rng(1).random((4, 64), np.float32)
        self.assertIn("clean:", str(tilelang.compile(sorted_lines).check(a, np.zeros_like(a))))

    def test_a_race_names_a_schedule_that_gives_another_result(self):
        kernel = tilelang.compile(two_warps)
        a, b = np.arange(64, dtype="float32"), np.zeros(32, "float32")
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(tilelang.KernelError) as raised:
            kernel.check(a, b)
        [detail] = {finding["detail"] for finding in raised.exception.findings}
        said = re.fullmatch(r"B\[(\d+)\] is (\S+), with --seed (\d+) (\S+)", detail)
        self.assertTrue(said, detail)
        element, plain, seed, other = said.groups()
        described, _memory = described_of(kernel, a, b)
        for number, value in ((0, plain), (int(seed), other)):
            b[:] = 0
            kernel._at_level("thread").run(described, seed=number, threads=1)
            self.assertEqual(str(b[int(element)]), value)

    def race_of(self, function, *values):
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(tilelang.KernelError) as raised:
            tilelang.compile(function).check(*values)
        self.assertEqual({finding["kind"] for finding in raised.exception.findings}, {"race"})
        [detail] = {finding["detail"] for finding in raised.exception.findings}
        return detail

    def test_blocks_come_between_what_others_read_and_write(self):
        a = np.arange(64, dtype="float32")
        self.assertEqual(self.race_of(sums, a, np.zeros(8, "float32")), "C[0] is 224.0, with --seed 2 56.0")
        self.assertEqual(self.race_of(sums_of_distant_rows, np.ones(64, "float32"), np.zeros(8, "float32")),
                         "C[0] is 8.0, with --seed 2 1.0")

    def test_a_race_of_blocks_that_changes_nothing_says_what_was_tried(self):
        self.assertEqual(self.race_of(kept, np.ones(1, "float32")), "the same results in 9 schedules, with interleaved blocks in 7")

    def test_atomics_are_right_in_every_schedule(self):
        kernel = tilelang.compile(atomic_sums)
        a, c = np.arange(64, dtype="float32"), np.zeros(8, "float32")
        described, _memory = described_of(kernel, a, c)
        for seed in range(12):
            c[:] = 0
            kernel._at_level("thread").run(described, seed=seed, threads=1)
            self.assertEqual(c.tolist(), a.reshape(8, 8).sum(0).tolist(), f"seed {seed}")

    def test_asynchronous_effects_come_as_late_and_as_early_as_allowed(self):
        kernel = tilelang.compile(pipelined, target="sm_80")
        a, b = np.ones((64, 32), "float16"), np.zeros((64, 32), "float16")
        described, _memory = described_of(kernel, a, b)
        lines = kernel._at_level("thread").text().split("\n")
        without, said = tilelang._core.read_ir("f", "\n".join(line for line in lines if "cp_wait(" not in line))
        self.assertEqual(said, [])
        for seed, right in ((0, False), (1, True)):
            b[:] = 0
            without.run(described, seed=seed, threads=1)
            self.assertEqual(bool((b == 1).all()), right, f"seed {seed}")

    def test_every_schedule_runs_each_block_once(self):
        kernel = tilelang.compile(double)
        a = np.ones(1024, "float32")
        described, _memory = described_of(kernel, a)
        for seed in range(40):
            a[:] = 1
            result = kernel._at_level("thread").run(described, seed=seed)
            self.assertEqual((result["blocks"], a.min(), a.max()), (8, 2, 2))

    def test_an_origin_of_infinity_is_data_as_well(self):
        a, b = np.ones(1024, "float32"), np.zeros(1024, "float32")
        a[700] = 0
        report = json.loads(tilelang.compile(inverse).check(a, b).json)
        self.assertEqual((report["clean"], report["verdict"]), (False, "not all numbers"))
        [found] = report["runs"][0]["not_finite"]
        self.assertEqual((found["tensor"], found["inf"], found["first"]), ("B", 1, [700]))
        [step] = found["way"]
        self.assertEqual((step["block"], step["actor"]), ([5, 0, 0], "iteration i = 60"))
        self.assertIn("1.0 / 0.0 is inf; A[700] = 0.0, is stored in B[700]", step["what"])
        self.assertEqual(b.any(), False)

    def test_an_origin_caused_by_earlier_blocks_is_found(self):
        @T.prim_func
        def grows(A: T.Tensor((8,), "float32")):
            with T.Kernel(8, threads=32) as bx:
                for i in T.Parallel(1):
                    T.atomic_add(A[i], 1e38)

        a = np.zeros(8, "float32")
        report = json.loads(tilelang.compile(grows).check(a).json)
        [step] = report["runs"][0]["not_finite"][0]["way"]
        self.assertEqual(step["block"], [3, 0, 0])
        self.assertIn("makes inf", step["what"])

    def test_only_what_a_kernel_may_change_is_copied(self):
        kernel = tilelang.compile(gathered)
        index, values, out = np.zeros(1024, "int32"), np.ones(1024, "float32"), np.full(1024, 3, "float32")
        described, _memory = described_of(kernel, index, values, out)
        before = checking.written_memory(kernel._func, described)
        self.assertEqual(before.bytes, [out.tobytes()])
        out[:] = 4
        before.restore()
        self.assertEqual(out[0], 3)

    def test_outputs_of_blocks_that_did_not_run_are_not_looked_at(self):
        kernel = tilelang.compile(gathered)
        described, _memory = described_of(kernel, np.zeros(1024, "int32"), np.ones(1024, "float32"),
                                          np.full(1024, np.nan, "float32"))
        for seconds, blocks in ((1e-9, 0), (0.0, 8)):
            result = kernel._func.run(described, seconds=seconds, not_finite=True)
            self.assertEqual((result["blocks"], result["not_finite"]), (blocks, []))

    def test_arguments_keep_their_values(self):
        a = np.ones(1024, "float32")
        report = tilelang.compile(double).check(a)
        self.assertTrue((a == 1).all())
        self.assertIn("clean: bounds and order proved for 8 blocks, 2 simulated at tile, thread and flat level", str(report))
        data = json.loads(report.json)
        self.assertTrue(data["clean"])
        self.assertEqual([(r["level"], r["blocks"], r["threads"]) for r in data["runs"]],
                         [("tile", 2, 128), ("thread", 2, 128), ("flat", 2, 128)])
        self.assertEqual([r["proved"] for r in data["runs"]], [8, 8, 8])

    def test_all_runs_every_block(self):
        report = tilelang.compile(double).check(np.ones(1024, "float32"), all=True)
        self.assertIn("clean: 2048 accesses by 8 blocks of 128 threads at tile, thread and flat level", str(report))

    def test_blocks_that_stay(self):
        """The sampled blocks are those of the program's grid, not of the schedule's."""
        kernel = tilelang.compile(product, out_idx=[2], target="sm_90a", pass_configs={"tilelab.processors": 3})
        self.assertIn("source=\"stride\"", str(kernel.ir(after="schedule_pipelines")))
        values = np.ones((512, 128), "float16"), np.ones((128, 256), "float16")
        self.assertIn("clean: bounds and order proved for 8 blocks, 2 simulated", str(kernel.check(*values)))
        self.assertIn("clean:", str(kernel.check(*values, all=True)))

    def test_unproved_launches_are_reported(self):
        report = tilelang.compile(gathered).check(np.zeros(1024, "int32"), np.zeros(1024, "float32"),
                                                    np.zeros(1024, "float32"))
        self.assertIn("not proved for all blocks at once, so each ran: an index into B depends on data (", str(report))
        self.assertRegex(str(report), r"clean: \d+ accesses by 8 blocks of 128 threads")
        (reason,) = json.loads(report.json)["unproved"]
        self.assertEqual(reason["why"], "an index into B depends on data")

    def test_every_block_is_looked_at_for_what_data_does(self):
        @T.prim_func
        def quotients(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
            with T.Kernel(8, threads=128) as bx:
                for i in T.Parallel(128):
                    B[bx * 128 + i] = A[bx * 128 + i] / A[bx * 128 + i]

        a = np.ones(1024, "float32")
        a[700] = 0
        report = tilelang.compile(quotients).check(a, np.zeros(1024, "float32"))
        self.assertIn("2 simulated", str(report))
        self.assertIn("B[700]", str(report))

    def test_one_level(self):
        kernel = tilelang.compile(two_warps)
        a, b = np.arange(64, dtype="float32"), np.zeros(32, "float32")
        self.assertIn("at tile level", str(kernel.check(a, b, level="tile")))
        for level in ("thread", "flat"):
            with self.assertRaises(tilelang.KernelError) as caught:
                kernel.check(a, b, level=level)
            (finding,) = caught.exception.findings
            self.assertEqual((finding["kind"], finding["levels"]), ("race", [level]))
            self.assertEqual([s["verb"] for s in finding["related"]], ["declares B, shape [32]"])
        with self.assertRaises(RuntimeError):
            kernel.check(a, b, level="warp")

    def test_the_exception_helps(self):
        shown = io.StringIO()
        with self.assertRaises(tilelang.KernelError) as caught, contextlib.redirect_stdout(shown):
            tilelang.compile(two_warps).check(np.arange(64, dtype="float32"), np.zeros(32, "float32"))
        self.assertIn("(thread and flat level, 32 times)", str(caught.exception))
        self.assertIn("\nhelp: threads run this line concurrently", str(caught.exception))
        self.assertEqual(shown.getvalue().count("seen"), 1, "what the kernel prints is shown once")
        self.assertIn("<pre", caught.exception._repr_mimebundle_()["text/html"])

    def test_a_long_launch_is_checked_in_part(self):
        a = np.ones(1024, "float32")
        report = tilelang.compile(gathered).check(np.zeros(1024, "int32"), a, a.copy(), seconds=1e-9)
        self.assertIn("tile level: ran 0 of 8 blocks; %check --all runs them all", str(report))
        self.assertIn("thread level: ran 0 of 8 blocks", str(report))
        self.assertIn("partly checked: 0 of 8 blocks", str(report))
        data = json.loads(report.json)
        self.assertEqual((data["clean"], data["verdict"]), (False, "partly checked"))

    def test_what_an_output_keeps_is_a_note(self):
        @T.prim_func
        def head(A: T.Tensor((1000,), "float32"), B: T.Tensor((1000,), "float32")):
            with T.Kernel(1000 // 128, threads=128) as bx:
                for i in T.Parallel(128):
                    B[bx * 128 + i] = A[bx * 128 + i]

        kernel, a = tilelang.compile(head), np.ones(1000, "float32")
        report = kernel.check(a, np.ones(1000, "float32"))
        self.assertIn("note: 104 of 1000 elements of B keep their old value; the first is B[896]\nhelp: ", str(report))
        self.assertEqual(json.loads(report.json)["verdict"], "not all written")
        self.assertNotIn("keep the value", str(kernel.check(a, a)), "one array for both: it is read")
        self.assertNotIn("keep the value", str(tilelang.compile(double).check(np.ones(1024, "float32"))))

    def test_arguments_are_compared_first(self):
        with self.assertRaises(tilelang.ArgumentError):
            tilelang.compile(double).check(np.ones(8, "float32"))


class Against(unittest.TestCase):
    """Defects that no watcher sees: a clean kernel with wrong results."""

    def setUp(self):
        rng = np.random.default_rng(1)
        self.a, self.b = rng.random((512, 128)).astype("float16"), rng.random((128, 256)).astype("float16")
        self.c = np.zeros((512, 256), "float16")

    def compared(self, reference, *outputs):
        kernel = tilelang.compile(product, out_idx=None if outputs else [-1])
        return kernel.check(self.a, self.b, *outputs, against=reference).compared

    def test_a_right_result(self):
        for reference in np.matmul, lambda a, b: a @ b:  # with the output among the arguments or without
            for outputs in (), (self.c,):
                found = self.compared(reference, *outputs)
                self.assertTrue(found.right, str(found))
                self.assertIn("C equals the reference, to 0.000", str(found))
        self.assertTrue(self.compared(lambda a, b, c: a @ b + c, self.c).right)
        self.assertFalse(self.c.any())  # the arguments keep their values

    def test_a_wrong_result(self):
        def shifted(a, b):
            out = a @ b
            out[3, 7] += 5
            return out
        found = self.compared(shifted)
        self.assertFalse(found.right)
        self.assertEqual((found.wrong, found.first[:2]), ({"C": (1, 512 * 256)}, ("C", (3, 7))))
        self.assertIn("1 of 131072 elements of C differ\n  the first is C[3, 7]: ", str(found))
        self.assertEqual(json.loads(found.json)["first"]["index"], [3, 7])
        nothing = self.compared(lambda a, b: np.full((512, 256), np.nan))
        self.assertEqual((nothing.wrong["C"][0], json.loads(nothing.json)["first"]["wanted"]), (512 * 256, "nan"))

    def test_references_that_do_not_fit(self):
        with self.assertRaisesRegex(ValueError, "the reference returns 2 results, but the kernel writes 1"):
            self.compared(lambda a, b: (a, b))
        with self.assertRaisesRegex(ValueError, r"the reference has the shape \[512, 128\], but C has \[512, 256\]"):
            self.compared(lambda a, b: a)

    def test_a_reference_written_for_torch_gets_tensors(self):
        class Tensor:
            def __init__(self, values):
                self.values = values

            def twice(self):
                return self.values * 2

        def relu(x):
            if not isinstance(x, Tensor):
                raise TypeError("relu(): argument 'input' must be Tensor, not numpy.ndarray")
            return np.maximum(x.values, 0)

        given = [np.array([-1.0, 2.0]), 3]
        with unittest.mock.patch.dict(sys.modules, torch=types.SimpleNamespace(tensor=Tensor)):
            self.assertEqual(list(call_reference(lambda x, n: relu(x), given)), [0, 2])
            self.assertEqual(list(call_reference(lambda x, n: x.twice() + n, given)), [1, 7])
            with self.assertRaisesRegex(AttributeError, "'numpy.ndarray' object has no attribute 'nothing'"):
                call_reference(lambda x, n: x.nothing(), given)
        with unittest.mock.patch.dict(sys.modules), self.assertRaises(TypeError):
            sys.modules.pop("torch", None)
            call_reference(lambda x, n: relu(x), given)

    def test_integers_are_compared_exactly(self):
        @T.prim_func
        def counts(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(64):
                    B[i] = A[i] + 1

        kernel, a = tilelang.compile(counts, out_idx=[-1]), np.arange(64, dtype="int32") * 10**6
        self.assertTrue(kernel.check(a, against=lambda a: a + 1).compared.right)
        self.assertEqual(kernel.check(a, against=lambda a: a).compared.wrong, {"B": (64, 64)})


if __name__ == "__main__":
    unittest.main()
