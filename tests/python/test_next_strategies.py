# SPDX-License-Identifier: Apache-2.0
"""If the best strategy is rejected the next best is used: matmuls keep their unit."""

import pathlib
import sys
import unittest

import support  # noqa: F401
import tilelab.language as T

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gpu/sources"))
import attention  # noqa: E402


def passes(func, target):
    """(text after infer_layouts, all reasons) of a kernel that compiles."""
    made = func.changed(target=target).passes()
    assert made["ok"], [d["text"] for d in made["diagnostics"]]
    texts = {s["pass"]: s["func"].text() for s in made["snapshots"]}
    return texts["infer_layouts"], [r for s in made["snapshots"] for r in s["reasons"]]


def heads_of_128(rows, keys, stages, threads, heads=1):
    return attention.attention.get_tir(1, 256, heads, 128, rows, keys, stages, threads).func


class NextStrategies(unittest.TestCase):
    def test_attention_with_wide_heads_is_multiplied_by_units(self):
        for target, tiles in (("mp_31", (128, 128, 2, 256)), ("mp_31", (128, 128, 3, 256)), ("mp_31", (64, 64, 2, 128)),
                              ("sm_90a", (128, 128, 2, 256)), ("sm_80", (128, 128, 2, 256)), ("sm_80", (64, 64, 2, 128)),
                              ("mp_22", (64, 64, 2, 128)), ("mp_22", (128, 32, 2, 128))):
            with self.subTest(target=target, tiles=tiles):
                text, _ = passes(heads_of_128(*tiles), target)
                units = {line.split('by="')[1].split('"')[0] for line in text.splitlines() if "gemm(" in line}
                self.assertEqual(units, {{"mp_31": "sqmma", "mp_22": "mma_mp22", "sm_90a": "wgmma", "sm_80": "mma"}[target]})

    def test_rows_with_heads_between_them_come_by_the_engine(self):
        """A box that its instruction names has the first dimensions of the map: rows, then heads."""
        text, _ = passes(heads_of_128(128, 64, 2, 256, heads=3), "mp_31")
        self.assertEqual(text.count('by="engine"'), 3)
        self.assertIn('with role("producer"', text)
        self.assertIn("K_map = tensor_map(K, dims=[128, 256, 3, 1], strides=[768, 256, 196608])", text)

    def test_stages_are_given_up_before_the_unit(self):
        """The shared memory of conversions is known only after the schedule."""
        @T.prim_func
        def main(A: T.Tensor((64, 512), "float16"), B: T.Tensor((512, 64), "float16"), C: T.Tensor((64, 64), "float32"),
                 D: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, threads=128):
                a = T.alloc_shared((64, 64), "float16")
                b = T.alloc_shared((64, 64), "float16")
                c = T.alloc_fragment((64, 64), "float32")
                d = T.alloc_fragment((64, 64), "float32")
                T.annotate_layout({d: T.Fragment((64, 64), forward_fn=lambda i, j: ((i * 64 + j) % 128, (i * 64 + j) // 128))})
                T.clear(c)
                for k in T.Pipelined(8, num_stages=4):
                    T.copy(A[0, k * 64], a)
                    T.copy(B[k * 64, 0], b)
                    T.gemm(a, b, c)
                    for i, j in T.Parallel(64, 64):  # in each iteration, when the stages hold their memory
                        d[i, j] = c[i, j] * 2.0
                T.copy(c, C[0, 0])
                T.copy(d, D[0, 0])

        text, reasons = passes(main.func, "mp_22")
        self.assertIn('by="mma_mp22"', text)
        self.assertIn("ring(3", text)
        self.assertTrue(any(r.startswith("compiled as a kernel with fewer pipeline stages: ") for r in reasons), reasons)


if __name__ == "__main__":
    unittest.main()
