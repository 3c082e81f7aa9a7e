# SPDX-License-Identifier: Apache-2.0
"""What kernels and generators of public repositories rely on besides the language's functions."""

import contextlib
import importlib
import importlib.util
import io
import sys
import types
import unittest

import numpy as np
import support
import triton
import triton.language as tl


class Launches:
    """A wrapper of a kernel that counts its calls, in the kernel's module under the name of a function of the language."""

    def __init__(self, kernel):
        self.kernel, self.calls = kernel, []

    def __call__(self, *args, **kwargs):
        self.calls.append(args)
        self.kernel[(1,)](*args, **kwargs)


@triton.jit
def optional_tensors(x_ptr, weight_ptr, bias_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    made = tl.load(x_ptr + i)
    if weight_ptr:
        made *= tl.load(weight_ptr + i)
    if not bias_ptr:
        made -= 1
    made += tl.load(bias_ptr + i) if bias_ptr else 0.0
    if weight_ptr and bias_ptr:
        made += 100
    tl.store(out_ptr + i, made)


def caller_of(added):
    """A function that calls another one with the same text, in which only that one's source differs."""
    if added:
        @triton.jit
        def called(x):
            return x + 1
    else:
        @triton.jit
        def called(x):
            return x - 1

    @triton.jit
    def calls(x):
        return called(x) * tl.sum(x)

    return calls


class Generator:
    def made(self):
        @triton.jit
        def doubled(x):  # indented, below a decorator
            return x + x

        return doubled


@triton.jit
def transposed_products(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
    tl.store(out_ptr + at, tl.dot(a, b, trans_a=True) + tl.dot(a, b, trans_b=True))


@triton.jit
def one_instruction(x_ptr, out_ptr, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out_ptr + tl.arange(0, N), y)


SOFTPLUS = """{ .reg .pred large; .reg .f32 t;
    setp.gt.f32 large, $1, 15.;
    @large mov.f32 $0, $1;
    @!large mul.f32 t, $1, 1.4426950408889634;
    @!large ex2.approx.ftz.f32 t, t;
    @!large add.f32 t, t, 1.0;
    @!large lg2.approx.ftz.f32 t, t;
    @!large mul.f32 $0, t, 0.6931471805599453; }"""
UNLESS_NEGATIVE = "{ .reg .pred p; setp.lt.f32 p, $1, 0.0; selp.f32 $0, -1.0, $1, p; }"


@triton.jit
def instruction_of_integers(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.inline_asm_elementwise("""{
        lg2.approx.f32 $1, $1;
        cvt.rpi.f32.f32 $1, $1;
        cvt.rzi.s32.f32 $0, $1;
        shl.b32 $0, $0, 2; }""", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out_ptr + tl.arange(0, N), y)


@triton.jit
def hyperbolic(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, N), tl.libdevice.tanh(tl.load(x_ptr + tl.arange(0, N))))


@triton.jit
def through_addresses(table_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(table_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + tl.program_id(0) * N + tl.arange(0, N), tl.load(x + tl.arange(0, N)))


class Reversed:
    """An array from the last element on, for negative strides."""

    def __init__(self, base):
        self.base, self.dtype = base, base.dtype

    def data_ptr(self):
        return self.base.ctypes.data + self.base.nbytes - self.base.itemsize


@triton.jit
def strided_copy(x_ptr, first, out_ptr, stride, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i * stride, mask=i < n), mask=i < n)


@triton.jit
def counted(out_ptr, n, N: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, N), tl.arange(0, N), mask=tl.arange(0, N) < n)


def arange(out, n):
    """Has the name of a function that the kernel reads from tl."""
    launches(out, n, N=16)


launches = Launches(counted)


class Foreign(support.Case):
    def test_pointers_as_conditions(self):
        x, w, b = (support.normal(seed, 16) for seed in range(3))
        for weight in (w, None):
            for bias in (b, None):
                out = np.zeros(16, "float32")
                optional_tensors[(1,)](x, weight, bias, out, N=16)
                expected = (x if weight is None else x * w) + (b if bias is not None else -1)
                self.near(out, expected + 100 * (weight is not None and bias is not None))

    def test_source_without_decorators(self):
        self.assertEqual(Generator().made().src.splitlines(), ["def doubled(x):  # indented, below a decorator", "    return x + x"])
        self.assertTrue(counted.src.startswith("def counted(out_ptr"))

    def test_keys_of_caches(self):
        keys = [caller_of(added).cache_key for added in (True, False, True)]
        self.assertEqual(keys[0], keys[2])
        self.assertNotEqual(keys[0], keys[1])

    def test_attributes_of_dtypes(self):
        self.assertEqual([one.int_bitwidth for one in (tl.int1, tl.int8, tl.uint64)], [1, 8, 64])
        self.assertEqual([one.int_signedness for one in (tl.int8, tl.uint8)], [tl.dtype.SIGNEDNESS.SIGNED, tl.dtype.SIGNEDNESS.UNSIGNED])
        self.assertEqual([one.get_int_max_value() for one in (tl.int1, tl.int8, tl.uint8)], [1, 127, 255])
        self.assertEqual([one.get_int_min_value() for one in (tl.int8, tl.uint8)], [-128, 0])
        self.assertFalse(hasattr(tl.float32, "int_bitwidth"))
        self.assertEqual([tl.dtype("fp32"), tl.dtype("int8"), tl.dtype("bf16")], [tl.float32, tl.int8, tl.bfloat16])
        self.assertTrue(tl.dtype.is_dtype("fp16") and tl.float8e4b8.is_fp8e4b8() and not tl.int32.is_const())

    def test_modules(self):
        from triton.runtime.jit import JITFunction, constexpr_function

        self.assertTrue(isinstance(counted, JITFunction) and callable(constexpr_function))
        for name in ("triton.runtime.driver", "triton.language.libdevice"):
            self.assertIsInstance(importlib.import_module(name), types.ModuleType)
        from triton.runtime.driver import driver

        self.assertEqual(triton.runtime.driver.active.get_current_device(), driver.active.get_current_device())
        self.assertIn("multiprocessor_count", driver.active.utils.get_device_properties(0))

    def test_peaks_of_the_device(self):
        from triton.testing import get_dram_gbps, get_max_simd_tflops, get_max_tensorcore_tflops, nvsmi

        self.assertGreater(get_dram_gbps(), 100)
        clock = nvsmi(["clocks.max.sm"])[0] * 1000
        halves, singles = (get_max_tensorcore_tflops(dtype, clock) for dtype in (tl.float16, tl.float32))
        self.assertEqual(halves, 2 * singles)
        self.assertGreater(singles, get_max_simd_tflops(tl.float32, clock))
        with self.assertRaisesRegex(ValueError, "temperature"):
            nvsmi(["temperature"])

    def test_names_of_triton_2(self):
        a, b = support.normal(1, 16, 16, dtype="float16"), support.normal(2, 16, 16, dtype="float16")
        out = np.zeros((16, 16), "float32")
        transposed_products[(1,)](a, b, out, N=16)
        wide, other = a.astype("float64"), b.astype("float64")
        self.near(out, wide.T @ other + wide @ other.T, 1e-4)
        x, out = support.normal(3, 16), np.zeros(16, "float32")
        hyperbolic[(1,)](x, out, N=16)
        self.near(out, np.tanh(x))

    def test_assembly(self):
        x, out = support.normal(4, 16) * 3 + 0.5, np.zeros(16, "float32")
        x[:2] = 0.25, 30.0
        positive = abs(x)
        for text, function in {"tanh.approx.f32 $0, $1;": np.tanh, "ex2.approx.ftz.f32 $0, $1;": np.exp2, "mov.b32 $0, $1;": np.copy,
                               "{ abs.f32 $1, $1; lg2.approx.f32 $0, $1; }": lambda v: np.log2(abs(v)), "neg.f32 $0, $1;": np.negative,
                               "rcp.approx.f32 $0, $1;": np.reciprocal, "mul.rn.f32 $0, $1, $1;": np.square, SOFTPLUS: lambda v: np.log1p(np.exp(v)),
                               "fma.rn.f32 $0, $1, 0f40000000, 1.5": lambda v: 2 * v + 1.5, UNLESS_NEGATIVE: lambda v: np.where(v < 0, -1, v),
                               "cvt.rpi.f32.f32 $0, $1;": np.ceil, "and.b32 $0, $1, 0x7fffffff;": abs}.items():
            one_instruction[(1,)](x, out, N=16, ASM=text, CONSTRAINTS="=f,f")
            self.near(out, function(x.astype("float64")))
        bits = np.zeros(16, "int32")
        instruction_of_integers[(1,)](positive, bits, N=16)
        self.same(bits, np.ceil(np.log2(positive.astype("float64"))).astype("int32") << 2)

    def test_other_assembly(self):
        x = support.normal(4, 16)
        for text in ("bar.sync 0;", "cvt.rn.bf16x2.f32 $0, $1, $1;", "add.sat.f32 $0, $1, $1;", "ld.global.f32 $0, [$1];", "bra done;"):
            with self.assertRaisesRegex(Exception, "cannot contain the assembly `"):
                one_instruction[(1,)](x, x, N=16, ASM=text, CONSTRAINTS="=f,f")
        for text, problem in {"add.f32 $0, $1, $2;": "reads .2, which has no value", "add.f32 $1, $1, $1;": "does not set .0",
                              "add.f16 $0, $1, $1;": "a register of fp32 is used as fp16"}.items():
            with self.assertRaisesRegex(Exception, problem):
                one_instruction[(1,)](x, x, N=16, ASM=text, CONSTRAINTS="=f,f")

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_unsigned_addresses(self):
        import torch

        parts = [torch.rand(8) for _ in range(3)]
        for dtype in (torch.int64, torch.uint64):
            out = torch.zeros(3, 8)
            through_addresses[(3,)](torch.tensor([one.data_ptr() for one in parts], dtype=dtype), out, N=8)
            self.same(out.numpy(), torch.stack(parts).numpy())

    def test_memory_before_the_first_element(self):
        for n in (16, 13, 2):
            x, out = support.normal(n, n), np.zeros(n, "float32")
            strided_copy[(1,)](Reversed(x), 0, out, -1, n, N=16)
            self.same(out, x[::-1])
        with self.assertRaisesRegex(Exception, "out-of-bounds: x_ptr.-1. in block"):
            strided_copy[(1,)](Reversed(x), 0, np.zeros(3, "float32"), -1, 3, N=16)
        with self.assertRaisesRegex(Exception, "out-of-bounds"):
            strided_copy[(1,)](Reversed(x), 0, out, 1, 2, N=16)

    def test_a_global_with_the_name_of_an_attribute(self):
        """The kernel reads tl.arange, not the function `arange` here, nor the wrapper with its calls."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            for n in (3, 9, 12):
                out = np.zeros(16, "int32")
                arange(out, n)
                self.same(out, np.where(np.arange(16) < n, np.arange(16), 0))
        self.assertEqual(printed.getvalue(), "")
        self.assertEqual(len(sys.modules[__name__].launches.calls), 3)


if __name__ == "__main__":
    unittest.main()
