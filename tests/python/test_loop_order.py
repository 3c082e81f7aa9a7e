# SPDX-License-Identifier: Apache-2.0
"""T.Pipelined(order=, stage=) is applied: statements of an iteration, for which iteration, in how many slots."""
import re
import unittest
import warnings

import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T


def product(order, stage, group=None, target="sm_90a", **configs):
    @T.prim_func
    def main(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 16), "float16")
            b = T.alloc_shared((16, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(8, order=order, stage=stage, group=group):
                T.copy(A[0, k * 16], a)
                T.copy(B[k * 16, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)

    return tilelang.compile(main, target=target, pass_configs=configs or None)


def iteration(kernel):
    """(statements of an iteration in order, iterations ahead; slots of the rings)."""
    text = next(s["func"] for s in kernel.passes() if s["pass"] == "schedule_pipelines").text()
    loop = text[text.index("for k in serial"):text.index("copy(c, ")]
    done = []
    for line in loop.splitlines():
        if found := re.search(r"\b(copy\((A|B)\[|gemm\()", line):
            later = re.search(r"\(k \+ (\d)\) \* 16", line)
            done.append(((found.group(2) or "gemm"), int(later.group(1)) if later else 0))
    return done, sorted(int(n) for n in re.findall(r"= ring\((\d+)", text))


class Orders(unittest.TestCase):
    def test_statements_of_an_iteration(self):
        for order, stage, group, want, slots in (
                ([0, 1, 2], [0, 0, 1], None, [("A", 1), ("B", 1), ("gemm", 0)], [2]),
                ([1, 2, 0], [0, 0, 2], None, [("gemm", 0), ("A", 2), ("B", 2)], [3]),
                ([1, 0, 2], [0, 0, 1], None, [("B", 1), ("A", 1), ("gemm", 0)], [2]),
                ([2, 0, 1], [0, 1, 2], None, [("B", 1), ("gemm", 0), ("A", 2)], [2, 3]),
                ([0, 1, 2], [1, 1, 1], None, [("A", 0), ("B", 0), ("gemm", 0)], []),
                ([1, 0], [0, 1], [[1, 0], [2]], [("gemm", 0), ("B", 1), ("A", 1)], [2])):
            for target in ("sm_90a", "sm_80", "mp_31", "mp_22"):
                with self.subTest(order=order, stage=stage, target=target):
                    self.assertEqual(iteration(product(order, stage, group, target)), (want, slots))

    def test_distant_stages(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            product([0, 1, 2], [0, 0, 40])
        self.assertIn("its stages are 40 iterations apart", str(said[0].message))

    def test_lists_of_a_text_that_fit_nothing(self):
        text = product([1, 2, 0], [0, 0, 2]).passes()[0]["func"].text()
        for lists in ('"order": [0], "stage": [0, 1]', '"order": 3, "stage": [0]', '"order": [], "stage": []',
                      '"order": [0, 1, 2], "stage": [-9223372036854775807, 0, 9223372036854775807]'):
            func, said = tilelang._core.read_ir("text", re.sub(r'"order":.*\](?=\})', lists, text))
            self.assertIsNotNone(func, said)
            tilelang.JITKernel(func)

    def test_minus_one_leaves_the_loop_to_the_compiler(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            kernel = product([-1, 0, 1], [-1, 0, 1])
        self.assertEqual([str(w.message) for w in said], [])
        self.assertIn("producer", kernel.passes()[4]["func"].text())

    def test_in_order_where_units_are_off(self):
        kernel = product([1, 2, 0], [0, 0, 2], **{"tilelab.hardware_units": False})
        self.assertEqual(iteration(kernel), ([("A", 0), ("B", 0), ("gemm", 0)], []))

    def test_options_of_a_dict_of_python(self):
        options = {"num_stages": 3}

        @T.prim_func
        def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, threads=128):
                s = T.alloc_shared((16, 64), "float32")
                for k in T.Pipelined(4, **options):
                    T.copy(A[k * 16, 0], s)
                    T.copy(s, B[k * 16, 0])

        self.assertIn("stages=3", tilelang.compile(main).passes()[0]["func"].text())


if __name__ == "__main__":
    unittest.main()
