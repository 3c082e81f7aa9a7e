# SPDX-License-Identifier: Apache-2.0
"""T.inc_max_nreg and similar: applied if groups of threads can transfer registers, otherwise reported."""
import unittest
import warnings

import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T


def kernel(threads, budgets, target="sm_90a", alone=True, blocks=1):
    """One group of 128 threads beside the other; its budget comes first in each. `blocks`: of a processor."""
    groups = list(range(threads // 128))

    @T.prim_func
    def main(A: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads):
            T.annotate_min_blocks_per_sm(blocks)
            ready = T.alloc_barrier(128)
            tx = T.get_thread_binding()
            for group in groups:
                if tx >= group * 128 and tx < group * 128 + 128:
                    if budgets[group]:
                        T.set_max_nreg(budgets[group], 0)
                    if group == 0:
                        T.barrier_arrive(ready)
                    if alone:
                        T.barrier_wait(ready, 0)
                    A[tx] = group
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = tilelang.compile(main, target=target)
    notes = [d for d in made._compilation.diagnostics if d["name"] == "option-no-effect"]
    return made.get_kernel_source(), str(notes)


class Budgets(unittest.TestCase):
    def test_obeyed(self):
        text, notes = kernel(384, (24, 240, 240))
        self.assertEqual([text.count(f"tl_reg_limit<{n}>()") for n in ("24, 0", "240, 1")], [1, 2])
        self.assertEqual(notes, "[]")

    def test_of_two_blocks_on_a_processor(self):
        """Each has half of the registers: 128 for each of 256 threads."""
        text, notes = kernel(256, (24, 232), blocks=2)
        self.assertEqual([text.count(f"tl_reg_limit<{n}>()") for n in ("24, 0", "232, 1")], [1, 1])
        self.assertEqual(notes, "[]")
        text, notes = kernel(256, (24, 240), blocks=2)
        self.assertNotIn("tl_reg_limit", text)
        self.assertIn("the total is 33792 registers, but the block has 32768", notes)

    def test_ignored_budgets_are_reported(self):
        for threads, budgets, why in ((384, (40, 240, 240), "the total is 66560 registers, but the block has 64512"),
                                      (384, (24, 0, 240), "a warp group has no register budget"),
                                      (384, (20, 240, 240), "a multiple of 8"), (384, (24, 264, 216), "24 to 256"),
                                      (256, (24, 232), "a thread of this block already has 248")):
            with self.subTest(budgets=budgets):
                text, notes = kernel(threads, budgets)
                self.assertNotIn("tl_reg_limit", text)
                self.assertIn(why, notes)
        text, notes = kernel(384, (24, 240, 240), alone=False)
        self.assertNotIn("tl_reg_limit", text)
        self.assertIn("no warp group waits for a barrier separately", notes)

    def test_of_a_warp(self):
        """A setting for a group before the roles applies if one of its warps has a role: the whole group executes it."""
        groups = [0, 1]

        def made(second):
            @T.prim_func
            def main(A: T.Tensor((384,), "int32")):
                with T.Kernel(1, threads=384):
                    ready = T.alloc_barrier(32)
                    tx = T.get_thread_binding()
                    if tx >= 256:
                        T.set_max_nreg(24, 0)
                    if tx >= 256 and tx < 288:
                        T.copy(A[0:32], A[0:32])
                        T.barrier_arrive(ready)
                    if second:
                        if tx >= 288:
                            T.copy(A[32:64], A[32:64])
                    for group in groups:
                        with T.ws(group):
                            T.set_max_nreg(240, 1)
                            T.barrier_wait(ready, 0)
                            A[tx] = group
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kernel = tilelang.compile(main, target="sm_90a")
            notes = [d for d in kernel._compilation.diagnostics if d["name"] == "option-no-effect"]
            return kernel.get_kernel_source(), str(notes)
        text, notes = made(False)
        self.assertRegex(text, r"if \(tl_uniform\(tid >= 256\)\) \{?\s*tl_reg_limit<24, 0>\(\);")
        self.assertEqual((text.count("tl_reg_limit<240, 1>()"), notes), (2, "[]"))
        text, notes = made(True)
        self.assertNotIn("tl_reg_limit", text)
        self.assertIn("several parts of a warp group", notes)

    def test_of_targets_that_hand_over(self):
        text, notes = kernel(384, (24, 240, 240), target="mp_31")
        self.assertNotIn("limit", text)
        self.assertIn("registers cannot be reallocated on mp_31", notes)

    def test_blocks_of_a_multiprocessor(self):
        for blocks, reported in ((2, 0), (3, 1), (40, 1)):
            @T.prim_func
            def main(A: T.Tensor((1024,), "int32")):
                with T.Kernel(1, threads=1024):
                    T.annotate_min_blocks_per_sm(blocks)
                    A[T.get_thread_binding()] = 1
            for target in ("sm_90a", "mp_31"):
                notes = [d for d in tilelang.compile(main, target=target)._compilation.diagnostics if "holds 2048 threads" in str(d)]
                self.assertEqual(len(notes), reported * (target == "sm_90a"))


if __name__ == "__main__":
    unittest.main()
