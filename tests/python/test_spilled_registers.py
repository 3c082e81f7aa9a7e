# SPDX-License-Identifier: Apache-2.0
"""registers-spilled: which fragments are live at the same time."""
import linecache
import unittest
import warnings

import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T

HEAD = """@T.prim_func
def main(A: T.Tensor((128, 64), "float16"), C: T.Tensor((128, 128), "float16"), D: T.Tensor((128, 128), "float16")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((128, 64), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        d = T.alloc_fragment((128, 128), "float32")
        T.copy(A, a)
"""
PRODUCT = "T.gemm(a, a, {}, transpose_B=True, clear_accum={})"


def spills(lines, threads=128):
    """Whether the compiler reports that the kernel of these lines spills registers."""
    text = HEAD.replace("threads=128", f"threads={threads}") + "".join(f"        {line}\n" for line in lines)
    linecache.cache[text] = (len(text), None, text.splitlines(True), text)
    names = {"T": T}
    exec(compile(text, text, "exec"), names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel = tilelang.compile(names["main"], target="sm_90a")
    return [d for d in kernel._compilation.diagnostics if d["name"] == "registers-spilled"] != []


class Needed(unittest.TestCase):
    def test_one_after_the_other(self):
        first, second = PRODUCT.format("c", True), PRODUCT.format("d", True)
        self.assertFalse(spills([first, "T.copy(c, C)", second, "T.copy(d, D)"]))
        self.assertTrue(spills([first, second, "T.copy(c, C)", "T.copy(d, D)"]))

    def test_a_loop_leads_back_to_its_front(self):
        loop = ["for k in range(4):", "    " + PRODUCT.format("d", True), "    T.copy(d, D)", "    " + PRODUCT.format("c", "{}")]
        for clear, needed in ((True, False), (False, True)):  # running sums are next to d
            with self.subTest(clear=clear):
                self.assertEqual(spills(["T.clear(c)", *(line.replace("{}", str(clear)) for line in loop), "T.copy(c, C)"]), needed)

    def test_branches_are_not_added_up(self):
        self.assertFalse(spills(["if A[0, 0] > 0:", "    " + PRODUCT.format("c", True), "    T.copy(c, C)", "else:",
                                 "    " + PRODUCT.format("d", True), "    T.copy(d, D)"]))

    def test_roles_are_not_added_up(self):
        """Each group of warps has separate fragments, which are uninitialized before they are written."""
        lines = ["ready = T.alloc_barrier(128)", "tx = T.get_thread_binding()", "if tx < 128:", "    T.barrier_arrive(ready)"]
        for group, name in enumerate("cd", 1):
            lines += [f"{'elif tx < 256' if group == 1 else 'else'}:", "    T.barrier_wait(ready, 0)", "    for k in range(4):",
                      "        " + PRODUCT.format(name, "(k == 0)"), f"    T.copy({name}, {name.upper()})"]
        self.assertFalse(spills(lines, threads=384))

    def test_loops_in_loops(self):
        """Thirty deep; a walk that visits each loop twice would take 2^30 steps."""
        loops = ["    " * n + f"for i{n}, j{n}, k{n} in T.grid(2, 2, 2):" for n in range(10)]
        lines = ["T.clear(c)", "T.clear(d)", *loops]
        lines += ["    " * 10 + PRODUCT.format(name, False) for name in "cd"]
        self.assertTrue(spills([*lines, "T.copy(c, C)", "T.copy(d, D)"]))


class Others(unittest.TestCase):
    """Fragments without a matmul, which are live as a whole across a reduction."""

    def spills(self, lines, columns=512):
        text = f"""@T.prim_func
def main(A: T.Tensor((128, {columns}), "float32"), B: T.Tensor((128, {columns}), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_fragment((128, {columns}), "float32")
        m = T.alloc_fragment((128,), "float32")
        T.copy(A, a)
""" + "".join(f"        {line}\n" for line in lines)
        linecache.cache[text] = (len(text), None, text.splitlines(True), text)
        names = {"T": T}
        exec(compile(text, text, "exec"), names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel = tilelang.compile(names["main"], target="sm_90a")
        return [d["message"] for d in kernel._compilation.diagnostics if d["name"] == "registers-spilled"]

    SOFTMAX = ["T.reduce_max(a, m, dim=1)", "for i, j in T.Parallel(128, N):", "    a[i, j] = T.exp(a[i, j] - m[i])", "T.copy(a, B)"]

    def test_a_tile_that_is_used_after_its_reduction(self):
        (message,) = self.spills([line.replace("N", "512") for line in self.SOFTMAX])
        self.assertRegex(message, r"fragments take \d+ registers of each thread here, but a thread has 255")
        self.assertGreaterEqual(int(message.split()[4]), 512)
        self.assertEqual(self.spills([line.replace("N", "128") for line in self.SOFTMAX], 128), [])

    def test_a_tile_that_ends_with_its_reduction(self):
        self.assertEqual(self.spills(["T.reduce_max(a, m, dim=1)", "T.copy(m, B[:, 0])"]), [])

    def test_a_tile_that_streams(self):
        self.assertEqual(self.spills(["T.copy(a, B)"]), [])


if __name__ == "__main__":
    unittest.main()
