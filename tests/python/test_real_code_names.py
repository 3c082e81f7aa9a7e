# SPDX-License-Identifier: Apache-2.0
"""Imports and names used by programs outside this repository. Each line is one that some of them have: it
runs, as itself or as a stand-in that reports "planned" when used."""

import importlib
import unittest

import support  # noqa: F401
import tilelab as tilelang

IMPORTS = """
from tvm import tirx
from tvm import tir
from tvm.script import tirx
import tvm.ir
import tvm.testing
from tvm.testing import requires_package
from tilelang.env import TILELANG_CACHE_DIR
import tvm.tirx
import tilelang.cuda
import tilelang.intrinsics
from tilelang.intrinsics import get_swizzle_layout
import tilelang.rocm
import tilelang.contrib
import tilelang.primitives
import tilelang.backend
from tilelang.engine.callback import register_cuda_postproc_callback
from tilelang.utils.device import get_current_device
from tilelang.carver.template import MatmulTemplate
from tilelang.transform import simplify
import tilelang.transform.simplify
from tilelang.transform.simplify import apply_simplify
from tilelang.language import tir
from tilelang.utils.tensor import get_tensor_supply, TensorSupplyType
from tilelang.utils.tensor import map_torch_type
from tilelang import is_cache_enabled
from tilelang.testing import matmul_naive
from tilelang.testing import requires_musa_compute_version_ge
from tilelang.testing import requires_musa_compute_version_eq
from tilelang.layout import make_swizzled_layout
from tilelang.layout import make_sqmma_swizzled_layout, make_no_swizzled_layout
from tilelang.layout import make_metadata_layout, make_volta_swizzled_layout, make_tcgen05mma_swizzled_layout
from tilelang.utils.target import check_musa_availability
"""
PASS_KEYS = ("TL_DISABLE_FAST_MATH TL_ENABLE_FAST_MATH TL_ENABLE_MUSA_BURST TL_ENABLE_REDUCE_BURST TL_DISABLE_SAFE_MEMORY_ACCESS "
             "TL_DISABLE_SQMMA TL_DYNAMIC_ALIGNMENT TL_DISABLE_DYNAMIC_TAIL_SPLIT TL_DISABLE_INDEX_TYPE_PROMOTION "
             "TL_REDUCER_FORCE_BASELINE TL_DISABLE_TMA_LOWER TL_DISABLE_WARP_SPECIALIZED")
LANGUAGE = ("gemm_v1 gemm_v2 create_list_of_mbarrier get_mbarrier thread_binding wait_sqmma "
            "ptr make_tensor SharedBuffer FragmentBuffer LocalBuffer im2col let attr comm_reducer If Then Else While And Or Not "
            "rng_init rng_rand make_sqmma_swizzled_layout make_robust_desc call_extern tfloat32 float8_e4m3 float8_e4m3fn "
            "float4_e2m1fnx2 handle atomic_addx2 const empty")


def ours(line):
    """The import, of this package whether or not it replaces the others."""
    first, name, *rest = line.split(" ")
    return " ".join([first, name.replace("tilelang", "tilelab") if name.startswith("tilelang") else f"tilelab.{name}", *rest])


class Names(unittest.TestCase):
    def test_imports_run(self):
        for line in IMPORTS.strip().splitlines():
            with self.subTest(line):
                exec(ours(line), {})

    def test_keys_of_passes(self):
        for key in PASS_KEYS.split():
            with self.subTest(key):
                self.assertEqual(len(tilelang.transform.config_values({getattr(tilelang.PassConfigKey, key): True})), 1)

    def test_names_of_the_language(self):
        language = importlib.import_module("tilelab.language")
        for name in LANGUAGE.split():
            with self.subTest(name):
                getattr(language, name)

    def test_modules_at_older_places_are_those_of_today(self):
        from tilelab._session import imports

        self.assertEqual(imports._real_name("tilelang.language.v2.dtypes"), "tilelab.language.dtypes")
        self.assertEqual(imports._real_name("tilelang.language.dtypes"), "tilelab.language.dtypes")

    def test_dtypes_equal_what_others_call_them(self):
        import numpy as np

        T = importlib.import_module("tilelab.language")
        for name in ("bool", "int8", "float16", "float32", "int64"):
            self.assertTrue(getattr(T, name) == np.dtype(name), name)
            self.assertFalse(getattr(T, name) != np.dtype(name), name)
        self.assertFalse(T.float32 == np.dtype("float64"))
        self.assertTrue(T.float32 != np.dtype("float64"))
        self.assertFalse(T.float32 == np.dtype([("a", "f4")]))
        self.assertEqual(hash(T.float32), hash("float32"))
        self.assertFalse(T.float32 == 3)

    def test_jit_above_prim_func(self):
        T = importlib.import_module("tilelab.language")

        @tilelang.jit(out_idx=-1)
        @T.prim_func
        def evens(A: T.Tensor((6,), "int32")):
            with T.Kernel(1) as bx:
                for i in range(6):
                    A[i] = i % 2

        self.assertEqual(list(evens()()), [0, 1, 0, 1, 0, 1])

    def test_whether_compilations_are_reported(self):
        self.assertIn(tilelang.env.TILELANG_PRINT_ON_COMPILATION, ("0", "1"))

    def test_of_a_profiler_and_the_cache(self):
        self.assertTrue(hasattr(tilelang.profiler.Profiler, "func"))
        self.assertIn(tilelang.is_cache_enabled(), (True, False))

    def test_exceptions_are_those_that_callers_expect(self):
        for kind in (tilelang.CompileError, tilelang.ArgumentError, tilelang.UsageError):
            self.assertTrue(issubclass(kind, ValueError) and issubclass(kind, RuntimeError), kind)
        self.assertTrue(issubclass(tilelang.UsageError, AssertionError))


if __name__ == "__main__":
    unittest.main()
