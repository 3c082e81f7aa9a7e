# SPDX-License-Identifier: Apache-2.0
"""kernel.bisect(): bugs put into what a pass left; the pass and the line that it names are those of the bug. On right
kernels, of units with rings and roles as well, it names none."""

import json
import re
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab import _core
from tilelab._tools.bisect import Bisect, Stage, stages_of


def gemm(units, relu=0.0):
    @T.prim_func
    def gemm(A: T.Tensor((128, 96), "float16"), B: T.Tensor((96, 128), "float16"), C: T.Tensor((128, 128), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": units})
        with T.Kernel(2, 2, threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)  # clear
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[by * 64, k * 32], a)  # load a
                T.copy(B[k * 32, bx * 64], b)  # load b
                T.gemm(a, b, c)  # product
            for i, j in T.Parallel(64, 64):
                c[i, j] = T.max(c[i, j], relu)  # relu
            T.copy(c, C[by * 64, bx * 64])  # store
    return tilelang.compile(gemm, out_idx=[2])


@T.prim_func
def rows(A: T.Tensor((60, 40), "float32"), B: T.Tensor((60,), "float32"), C: T.Tensor((60, 40), "float32")):
    with T.Kernel(2, threads=64) as bx:
        x = T.alloc_fragment((32, 40), "float32")
        m = T.alloc_fragment((32,), "float32")
        s = T.alloc_shared((32, 40), "float32")
        T.copy(A[bx * 32, 0], x)  # load
        T.reduce_max(x, m, dim=1)  # largest
        for i, j in T.Parallel(32, 40):
            s[i, j] = T.exp(x[i, j] - m[i])  # exponential
        T.copy(m, B[bx * 32])  # store m
        for i, j in T.Parallel(32, 40):
            C[bx * 32 + i, j] = s[31 - i, j] * A[bx * 32 + i, j] + 1.0  # turned


@T.prim_func
def integers(A: T.Tensor((40,), "int32"), B: T.Tensor((40,), "uint8")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(40):
            B[i] = T.cast(A[i] + 1, "uint8")


def random(*shape, dtype=np.float16):
    return np.random.default_rng(7).standard_normal(shape).astype(dtype)


AB = random(128, 96), random(96, 128)
NUMBERS = (np.arange(40, dtype=np.int32), np.zeros(40, np.uint8))
ROWS = (random(60, 40, dtype=np.float32),)
INF = float("-inf")

# (kernel, pass whose text is changed, what, into what, the comment of the line that must be named)
BUGS = [
    ("plain", "select_instructions", "fill(c, 0.0)", "fill(c, 0.5)", "clear"),
    ("plain", "schedule_pipelines", "k * 32:k * 32 + 32], a", "k * 32 + 1:k * 32 + 1 + 32], a", "load a"),
    ("plain", "infer_layouts", "maximum(c[i, j], 0.0)", "maximum(c[i, j], 1.0)", "relu"),
    ("plain", "infer_layouts", "clear=False", "clear=True", "product"),
    ("plain", "plan_shared_memory", "C[by * 64:by * 64 + 64", "C[(1 - by) * 64:(1 - by) * 64 + 64", "store"),
    ("plain", "plan_shared_memory", "at=4096", "at=2048", "load a|load b|product"),
    ("plain", "lower_tile_ops", "block_sync()", "pass", "product|load a|load b"),
    ("plain", "lower_tile_ops", "maximum(c", "minimum(c", "relu"),
    ("plain", "vectorize", "tid // 4 + v * 32, k * 32", "tid // 4 + v * 31, k * 32", "load a"),
    ("plain", "vectorize", "c[v * 8 + v_1 * 4:v * 8 + v_1 * 4 + 4]", "c[v * 8:v * 8 + 4]", "store"),
    ("plain", "flatten", ", 0.0)", ", 1.0)", "relu"),
    ("rows", "canonicalize", "m[i]", "m[0]", "exponential"),
    ("rows", "canonicalize", 'op="max"', 'op="min"', "largest"),
    ("rows", "select_instructions", "31 - i", "abs(30 - i)", "turned"),
    ("rows", "select_instructions", "31 - i", "30 - i", None),
    ("rows", "infer_layouts", "exp(", "exp2(", "exponential"),
    ("rows", "insert_barriers", "block_sync()", "pass", "turned"),
    ("rows", "lower_tile_ops", "- m[", "+ m[", "exponential"),
    ("rows", "vectorize", "1.0)", "2.0)", "turned"),
    ("units", "select_instructions", "fill(c, 0.0)", "fill(c, 0.5)", "clear"),
    ("units", "schedule_pipelines", "maximum(c[i, j], 0.0)", "maximum(c[i, j], 1.0)", "relu"),
    ("units", "schedule_pipelines", "ring_release(ring)", "pass", None),
    ("units", "infer_layouts", "k * 32:k * 32 + 32], a", "k * 16:k * 16 + 32], a", "load a"),
    ("units", "lower_tile_ops", "maximum(c", "minimum(c", "relu"),
]
KERNELS = {"plain": (gemm(False), AB), "units": (gemm(True), AB),
           "rows": (tilelang.compile(rows, out_idx=[1, 2]), ROWS)}


def with_bug(kernel, name, old, new):
    """The stages of a compiler whose pass `name` has a bug: the later ones work on what it left. None: nothing to change."""
    out = []
    for stage in stages_of(kernel):
        if stage.name != name:
            out.append(stage)
            continue
        text = stage.func.text(spans=True)
        if old not in text:
            return None
        func, said = _core.read_ir(name, text.replace(old, new, 1))
        if func is None:
            return None
        made = func.compile().snapshots()
        return [*out, Stage(name, func), *(Stage(m["pass"], m["func"]) for m in made[1:] if m["changed"])]
    return None


class Bugs(unittest.TestCase):
    def test_the_pass_and_the_line_of_a_bug_are_named(self):
        done = []
        for name, pass_, old, new, line in BUGS:
            kernel, values = KERNELS[name]
            stages = with_bug(kernel, pass_, old, new)
            self.assertIsNotNone(stages, (name, pass_, old))
            with self.subTest(name, pass_=pass_, old=old):
                found = Bisect(kernel, None, values, stages=stages)
                shown = str(found)
                # Without its barrier tile level computes the same: the first snapshot that has threads shows it.
                self.assertEqual(found.pass_, "lower_tile_ops" if "block_sync" in old else pass_, shown)
                if line:
                    self.assertRegex(found.statement.text, f"# ({line})$", shown)
                done.append((name, pass_))
        self.assertEqual(len(done), len(BUGS))
        self.assertGreaterEqual(len({p for _, p in done}), 8, done)

    def test_no_pass_is_blamed_where_all_are_right(self):
        for name, (kernel, values) in (KERNELS | {"integers": (tilelang.compile(integers), NUMBERS)}).items():
            with self.subTest(name):
                found = kernel.bisect(*values)
                self.assertEqual((found.pass_, found.difference), ("", None), str(found))
                self.assertIn("no pass changes a result", str(found))


class Pairs(unittest.TestCase):
    def test_two_versions_differ_where_they_were_written_differently(self):
        found = gemm(False).bisect(*AB, other=gemm(False, 0.25))
        self.assertEqual((found.pass_, found.difference.tensor), ("elaborate", "C"), str(found))
        self.assertTrue(found.statement.text.endswith("# relu"), str(found))
        self.assertIn("before any pass", str(found))

    def test_a_kernel_and_the_same_with_units_agree(self):
        found = gemm(False).bisect(*AB, other=gemm(True))
        self.assertEqual(found.pass_, "", str(found))
        self.assertIn("both have the same results after each pass", str(found))

    def test_kernels_of_other_shapes_are_refused(self):
        @T.prim_func
        def other(A: T.Tensor((128, 96), "float16"), B: T.Tensor((96, 128), "float16"), C: T.Tensor((96,), "float16")):
            with T.Kernel(1, threads=96):
                for i in T.Parallel(96):
                    C[i] = A[0, i] * B[i, 0]

        with self.assertRaisesRegex(ValueError, r"float32 \(128, 128\), other.* float16 \(96,\): nothing to compare"):
            gemm(False).bisect(*AB, other=tilelang.compile(other, out_idx=[2]))


class Result(unittest.TestCase):
    def test_data_say_what_the_text_says(self):
        kernel, values = KERNELS["plain"]
        found = Bisect(kernel, None, values, stages=with_bug(kernel, "infer_layouts", "clear=False", "clear=True"))
        data = json.loads(found.json)
        self.assertEqual((data["pass"], data["differs"]), ("infer_layouts", True))
        self.assertEqual(data["statement"]["line"], found.statement.line)
        self.assertIn("clear=True", data["statement"]["after"][0])
        self.assertTrue(data["runs"][-1]["verdict"] == "DIFFERS" and data["runs"][-2]["verdict"] == "equal")
        self.assertIn("<pre", found.html)
        index = re.search(r"C\[(\d+), (\d+)\] = ", str(found))
        self.assertEqual([int(g) for g in index.groups()], data["element"]["index"])

    def test_arguments_keep_their_values(self):
        out = np.full((128, 128), 3, np.float32)
        KERNELS["plain"][0].bisect(*AB, out)
        self.assertTrue((out == 3).all())

    def test_a_part_of_the_pipeline(self):
        kernel, values = KERNELS["plain"]
        found = kernel.bisect(*values, from_="infer_layouts", to="lower_tile_ops")
        self.assertEqual([row[0] for row in found.rows], ["after infer_layouts", "after plan_shared_memory",
                                                          "after insert_barriers", "after lower_tile_ops"])
        with self.assertRaisesRegex(ValueError, "unknown pass nope"):
            kernel.bisect(*values, to="nope")
        with self.assertRaisesRegex(ValueError, "flatten is after canonicalize"):
            kernel.bisect(*values, from_="flatten", to="canonicalize")


if __name__ == "__main__":
    unittest.main()
