# SPDX-License-Identifier: Apache-2.0
"""Names that programs written for TileLang import beside the language: targets and contexts of tvm,
tilelang.lower, tilelang.testing; and functions of the language with modes."""

import unittest

import support
import numpy as np

import tilelab as tilelang
import tilelab.language as T
import tilelab.testing
from tilelab import tvm


@T.prim_func
def copy_all(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(threads=64):
        for i in T.parallel(64):
            B[i] = A[i]


def round_kernel(mode):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(threads=64):
            for i in T.Parallel(64):
                B[i] = T.round(A[i], mode)

    return tilelang.compile(main, out_idx=[1])


def warp_reduce_kernel(op, dtype):
    reduce = getattr(T, f"warp_reduce_{op}")

    @T.prim_func
    def main(A: T.Tensor((64,), dtype), B: T.Tensor((64,), dtype)):
        with T.Kernel(threads=64):
            tx = T.get_thread_binding()
            B[tx] = reduce(A[tx])

    return tilelang.compile(main, out_idx=[1])


class Language(unittest.TestCase):
    def test_round(self):
        values = np.arange(64, dtype="float32") / 2 - 16
        away = np.sign(values) * np.floor(np.abs(values) + 0.5)
        np.testing.assert_array_equal(round_kernel("ties-to-even")(values), np.rint(values))
        np.testing.assert_array_equal(round_kernel("ties-away-from-zero")(values), away)

    def test_warp_reduce(self):
        rng = np.random.default_rng(7)
        whole = rng.integers(0, 1000, 64)
        for op, dtype, fold in (("sum", "int64", np.add), ("max", "float32", np.maximum), ("min", "float32", np.minimum),
                                ("bitand", "int32", np.bitwise_and), ("bitor", "int32", np.bitwise_or)):
            values = whole.astype(dtype)
            want = np.repeat([fold.reduce(values[:32]), fold.reduce(values[32:])], 32)
            with self.subTest(op):
                np.testing.assert_array_equal(warp_reduce_kernel(op, dtype)(values), want)

    def test_one_block(self):
        values = np.arange(64, dtype="float32")
        np.testing.assert_array_equal(tilelang.compile(copy_all, out_idx=[1])(values), values)

    def test_align_up(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
            with T.Kernel(threads=64):
                for i in T.Parallel(64):
                    B[i] = T.align_up(A[i], 12)

        values = np.arange(64, dtype="int32")
        np.testing.assert_array_equal(tilelang.compile(main, out_idx=[1])(values), -(-values // 12) * 12)

    def test_a_wrong_kernel_is_refused_where_it_is_made(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(threads=64):
                s = T.alloc_shared((1 << 18,), "float32")  # a megabyte
                s[0] = A[0]
                A[1] = s[0]

        with self.assertRaisesRegex(ValueError, "shared"):
            tilelang.compile(main)


class Dtypes(unittest.TestCase):
    def test_one_is_made_of_what_names_one(self):
        for value in ("float16", "half", np.float16, np.dtype("float16"), T.float16):
            self.assertEqual(T.dtype(value), "float16")
            self.assertIs(type(T.dtype(value)), T.dtype)

    def test_what_names_none_is_refused(self):
        for value in ("words", None, 3):
            with self.assertRaisesRegex(TypeError, "is not a dtype; such as float16"):
                T.dtype(value)
        for make in (T.dtype, lambda name: T.Tensor((8,), name)):
            for wrong in ("floot16", "flaot16"):
                with self.assertRaisesRegex(TypeError, f"'{wrong}' is not a dtype; did you mean float16[?]"):
                    make(wrong)


class Targets(unittest.TestCase):
    def test_a_target_as_context(self):
        with tvm.target.Target({"kind": "cuda", "arch": "sm_80"}) as target:
            self.assertEqual(str(target), "cuda -arch=sm_80")
            self.assertEqual(tilelang.compile(copy_all).target, "sm_80")
        self.assertEqual(tilelang.compile(copy_all).target, "mp_31")
        self.assertEqual(tilelang.compile(copy_all, target={"kind": "musa", "arch": "mp_22"}).target, "mp_22")

    def test_forms_of_a_target(self):
        from tilelab._compiler import settings

        forms = {"nvidia/nvidia-h100": "sm_90a", "nvidia/nvidia-a100": "sm_80", '{"kind": "cuda", "arch": "sm_90"}': "sm_90a"}
        for form, name in forms.items():
            self.assertEqual(tilelang.compile(copy_all, target=form).target, name)
        for form, name in (({"tag": "nvidia/nvidia-a100"}, "sm_80"), ({"arch": "sm_90a"}, "sm_90a")):
            self.assertEqual(tilelang.compile(copy_all, target=form).target, name)
        outer, settings.target = settings.target, '{"kind": "cuda", "arch": "sm_80"}'  # as TILELANG_DEFAULT_TARGET
        try:
            self.assertEqual(tilelang.compile(copy_all).target, "sm_80")
        finally:
            settings.target = outer
        for form in ({}, {"mcpu": "gfx90a"}, "nvidia/unknown", "{kind"):
            with self.assertRaisesRegex(tilelang.UsageError, "target-unknown"):
                tilelang.compile(copy_all, target=form)
        target = tvm.target.Target("cuda -arch=sm_80")
        self.assertEqual(tilelang.compile(copy_all, target=target.with_host(tvm.target.Target("llvm"))).target, "sm_80")

    def test_pass_configurations_of_a_context(self):
        from tilelab.transform import config_values

        with tvm.transform.PassContext(config={"tl.enable_fast_math": True}):
            self.assertEqual(config_values({"tl.disable_wgmma": True}),
                             {"tl.enable_fast_math": True, "tl.disable_wgmma": True})
        self.assertEqual(config_values(None), {})

    def test_the_current_context(self):
        PassContext = tvm.transform.PassContext
        with PassContext(opt_level=3, config={"tl.enable_fast_math": True}):
            with PassContext(config={"tl.disable_wgmma": True}):
                current = PassContext.current()
                self.assertEqual(current.opt_level, 2)
                self.assertEqual(current.config, {"tl.enable_fast_math": True, "tl.disable_wgmma": True})
            current = PassContext.current()
            self.assertEqual((current.opt_level, current.config), (3, {"tl.enable_fast_math": True}))
        self.assertEqual((PassContext.current().opt_level, PassContext.current().config), (2, {}))

    def test_lower(self):
        artifact = tilelang.lower(copy_all, target="musa")
        self.assertIn("__global__", artifact.kernel_source)
        self.assertEqual([p.name for p in artifact.params], ["A", "B"])


class Testing(unittest.TestCase):
    def test_close(self):
        a = np.linspace(0, 1, 1000, dtype="float32")
        b = a.copy()
        b[3] += 1
        tilelab.testing.torch_assert_close(a, b)  # one of a thousand may differ
        b[4] += 1
        with self.assertRaisesRegex(AssertionError, "2 of 1000 elements differ, first at \\(3,\\)"):
            tilelab.testing.torch_assert_close(a, b)
        with self.assertRaisesRegex(AssertionError, "dtype"):
            tilelab.testing.torch_assert_close(a, a.astype("float64"))

    def test_seed(self):
        tilelab.testing.set_random_seed(5)
        first = np.random.rand()
        tilelab.testing.set_random_seed(5)
        self.assertEqual(first, np.random.rand())

    def test_requires_cuda_is_satisfied(self):
        def test():
            pass

        self.assertIs(tilelab.testing.requires_cuda(test), test)


if __name__ == "__main__":
    unittest.main()
