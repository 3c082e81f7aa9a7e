# SPDX-License-Identifier: Apache-2.0
"""Which kernels reach the driver as PTX, and which as what NVRTC made of their C."""

import contextlib
import io
import os
import re
import tempfile
import unittest

import fake_gpu
from gpu_case import GpuCase, scaled
import numpy as np

import tilelab as tilelang
import tilelab.language as T

fake_gpu.install()


@T.prim_func
def product(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, clear_accum=True)
        T.copy(c, C)


@T.prim_func
def powers(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = T.exp(A[i])


@T.prim_func
def brains(A: T.Tensor((128,), "bfloat16"), B: T.Tensor((128,), "bfloat16"), C: T.Tensor((3, 128), "bfloat16")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(128):
            C[0, i] = A[i] + B[i]
            C[1, i] = A[i] - B[i]
            C[2, i] = A[i] * B[i]


@T.prim_func
def tails(A: T.Tensor((100,), "float32"), B: T.Tensor((100,), "float16"), C: T.Tensor((100,), "float32")):
    with T.Kernel(1, threads=64):
        a, b = T.alloc_fragment((256,), "float32"), T.alloc_fragment((256,), "float16")
        T.copy(A[0:256], a)
        T.copy(B[0:256], b)
        for i in T.Parallel(256):
            C[i] = a[i] + T.cast(b[i], "float32")


@T.prim_func
def sums(A: T.Tensor((8, 64), "float32"), B: T.Tensor((160, 64), "float32"), C: T.Tensor((2, 64), "float32")):
    with T.Kernel(1, threads=64):
        i = T.get_thread_binding()
        few, many = T.alloc_var("float32"), T.alloc_var("float32")
        few = 0.0
        many = 0.0
        for k in T.serial(8):
            few = few + A[k, i]
        for k in T.serial(160):
            many = many + B[k, i]
        C[0, i] = few
        C[1, i] = many


@T.prim_func
def codes(A: T.Tensor((64,), "uint8"), B: T.Tensor((64, 2), "float16")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            two = T.reinterpret(T.cast(A[i], "int32") * 0x1001 & 0xF000F | 0x64006400, "float16x2")
            B[i, 0] = T.extract_lane(two, 0)
            B[i, 1] = T.extract_lane(two, 1)


@T.prim_func
def odd(A: T.Tensor((2000003,), "float32"), C: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        total = T.alloc_var("float32")
        total = 0.0
        for k in T.serial(2000003):
            total = total + A[k]
        C[T.get_thread_binding()] = total


@contextlib.contextmanager
def variable(name, value):
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name) if before is None else os.environ.__setitem__(name, before)


@T.prim_func
def swizzled(A: T.Tensor((64, 64), "uint8"), C: T.Tensor((64, 64), "int32")):
    with T.Kernel(1, threads=256):
        a = T.alloc_shared((64, 64), "uint8")
        c = T.alloc_fragment((64, 64), "int32")
        T.annotate_layout({a: T.make_swizzled_layout(a),
                           c: T.Fragment((64, 64), forward_fn=lambda i, j: (i * 4 + j % 4, j // 4))})
        T.copy(A, a)
        for i, j in T.Parallel(64, 64):
            c[i, j] = T.cast(a[i, j], "int32") & 15 | 1024
        T.copy(c, C)


def multiply():
    a, b = np.ones((64, 64), "float16"), np.ones((64, 64), "float16")
    tilelang.compile(product, target="cuda")(a, b, np.zeros((64, 64), "float32"))


def scale():
    return tilelang.compile(scaled, out_idx=[2], target="cuda")(np.ones((3, 24), "float32"), 2.0)


class Ptx(GpuCase):
    def loaded_modules(self):
        """Kinds of the loaded modules; only C passes through the compiler."""
        loaded = ["PTX" if line == "PTX" else "C" for line in fake_gpu.log("ModuleLoadData")]
        self.assertEqual(len(fake_gpu.log("CompileProgram")), loaded.count("C"))
        return loaded

    def test_kernels_with_products_come_from_ptx(self):
        multiply()
        self.assertEqual(self.loaded_modules(), ["PTX"])

    def test_other_kernels_come_from_their_c(self):
        scale()
        self.assertEqual(self.loaded_modules(), ["C"])

    def test_none_or_all_where_the_environment_says_so(self):
        with variable("TILELAB_PTX", "0"):
            multiply()
        with variable("TILELAB_PTX", "1"):
            np.testing.assert_array_equal(scale(), np.full((3, 24), 2.0))
            tilelang.compile(powers, target="cuda")(np.ones(64, "float32"))  # T.exp is written in C alone
        self.assertEqual(self.loaded_modules(), ["C", "PTX", "C"])

    def test_a_driver_that_refuses_it(self):
        fake_gpu.fail("ModuleLoadData", 222)  # CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        multiply()
        self.assertEqual(self.loaded_modules(), ["PTX", "C"])

    def test_c_that_a_user_has_changed(self):
        tilelang.register_cuda_postproc(lambda code, target: code + "\n// seen\n")
        try:
            multiply()
        finally:
            tilelang.register_cuda_postproc(lambda code, target: code)
        self.assertEqual(self.loaded_modules(), ["C"])

    def test_without_a_compiler(self):
        with variable("TILELAB_NVRTC", "/nowhere/libnvrtc.so"):
            np.testing.assert_array_equal(scale(), np.full((3, 24), 2.0))
            self.assertEqual(fake_gpu.log("ModuleLoadData"), ["PTX"])
            with self.assertRaisesRegex(tilelang.DeviceError, r"NVRTC not found(.|\n)*as PTX, which this one does not support: exp\n"):
                tilelang.compile(powers, target="cuda")(np.ones(64, "float32"))


class Shown(unittest.TestCase):
    def test_ptx_of_a_kernel(self):
        kernel = tilelang.compile(product, target="sm_90a")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "made", "product.ptx")
            kernel.export_ptx(path)
            with open(path, encoding="utf-8") as file:
                text = file.read()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            kernel.show_ptx()
        self.assertEqual(said.getvalue(), text + "\n")
        for part in (".target sm_90a\n", ".visible .entry product_k0(", "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"):
            self.assertIn(part, text)
        self.assertIn(".target sm_80\n", tilelang.compile(product, target="sm_80")._get_ptx())

    def test_accesses_out_of_bounds_have_predicates(self):
        text = tilelang.compile(tails, target="sm_90a")._get_ptx()
        for access in (r"ld\.global(\.nc)?\.v4\.b32", r"ld\.global(\.nc)?\.v2\.b32", r"st\.global\.v4\.b32"):
            self.assertRegex(text, r"@%p\d+ " + access)
        self.assertNotIn("bra ", text)

    def test_brain_floats_are_computed_without_float(self):
        """Two in an instruction: where neighbours are computed alike, ptxas joins them."""
        for target in ("sm_80", "sm_90a"):
            kernel = tilelang.compile(brains, target=target)
            text = kernel._get_ptx()
            self.assertEqual(text.count("fma.rn.bf16"), 3 * 2)
            for part in ("cvt.", ".f32"):
                self.assertNotIn(part, text)

    def test_loads_of_several_iterations_are_in_flight_together(self):
        """All of a few, eight of many, as in C."""
        text = tilelang.compile(sums, target="sm_90a")._get_ptx()
        self.assertEqual(len(re.findall(r"ld\.global(\.nc)?\.b32", text)), 8 + 8)
        self.assertEqual(text.count(" bra "), 2)
        self.assertEqual(len(re.findall(r"ld\.global(\.nc)?\.b32", tilelang.compile(odd, target="sm_90a")._get_ptx())), 1)

    def test_halves_of_words_are_moved(self):
        text = tilelang.compile(codes, target="sm_90a")._get_ptx()
        self.assertRegex(text, r"mov\.b32 \{%h\d+, %h\d+\}, %r\d+;")
        for part in (r"shr.*, 16;", r"cvt\.[us]"):
            self.assertNotRegex(text, part)

    def test_constants_of_addresses_pass_through_a_swizzle(self):
        """Sixteen bytes of a row, four in each of the 16 bytes that it exchanges."""
        text = tilelang.compile(swizzled, target="sm_90a")._get_ptx()
        places = re.findall(r"ld\.shared\.u8 %r\d+, \[%r\d+\+?(\d*)\]", text)
        self.assertEqual(len(places), 16)
        self.assertEqual(len(set(places)), 4)
        self.assertEqual(text.count("xor.b32"), 16 + 12 + 1)  # and that of the copy

    def test_bits_under_a_mask_are_set_at_once(self):
        text = tilelang.compile(swizzled, target="sm_90a")._get_ptx()
        self.assertEqual(len(re.findall(r"lop3\.b32 %r\d+, %r\d+, 15, 1024, 0xea;", text)), 16)

    def test_what_has_none(self):
        with self.assertRaisesRegex(ValueError, "product is for mp_31, but PTX is only for NVIDIA"):
            tilelang.compile(product, target="mp_31").show_ptx()
        with self.assertRaisesRegex(ValueError, "powers is compiled from C, because PTX is not generated for exp; use nvcc -ptx"):
            tilelang.compile(powers, target="sm_90a").show_ptx()


if __name__ == "__main__":
    unittest.main()
