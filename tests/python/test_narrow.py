# SPDX-License-Identifier: Apache-2.0
"""Floats of 4 and 8 bits: every conversion against float64, arguments of calls, what is refused."""

import importlib.util
import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T
import narrow

FORMATS = {"float8_e4m3fnuz": lambda x: narrow.fnuz_bits(x, narrow.FNUZ["float8_e4m3fnuz"]),
           "float8_e5m2fnuz": lambda x: narrow.fnuz_bits(x, narrow.FNUZ["float8_e5m2fnuz"]),
           "float8_e8m0fnu": narrow.scale_bits, "float4_e2m1fn": narrow.four_bits}


def values_of_codes(name):
    codes = np.arange(16 if name == "float4_e2m1fn" else 256)
    if name == "float8_e8m0fnu":
        return np.where(codes == 255, np.nan, 2.0 ** (codes - 127.0))
    if name == "float4_e2m1fn":
        return np.where(codes & 8, -1.0, 1.0) * narrow.FOUR[codes & 7]
    return np.where(codes == 128, np.nan, np.where(codes > 127, -1.0, 1.0) * narrow.FNUZ[name][codes & 127])


def halves():
    return np.arange(65536).astype(np.uint16)


def single_floats():
    """All bf16, their neighbors, and the midpoints of every format."""
    near = [(halves().astype(np.uint32) << 16) + offset for offset in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]
    return np.concatenate(near).view(np.float32)


def as_bytes(src, dst, count):
    """A kernel that converts numbers; float4 is stored to memory, two in a byte, the others' bits are."""
    if dst == "float4_e2m1fn":
        @T.prim_func
        def pack(X: T.Tensor((count,), src), Y: T.Tensor((count,), dst)):
            with T.Kernel(T.ceildiv(count, 4096), threads=128) as bx:
                for i in T.Parallel(4096):
                    Y[bx * 4096 + i] = X[bx * 4096 + i]
        return pack

    @T.prim_func
    def convert(X: T.Tensor((count,), src), Y: T.Tensor((count,), "uint8")):
        with T.Kernel(T.ceildiv(count, 4096), threads=128) as bx:
            for i in T.Parallel(4096):
                Y[bx * 4096 + i] = T.reinterpret(T.cast(X[bx * 4096 + i], dst), "uint8")
    return convert


def from_bfloat(dst, count):
    @T.prim_func
    def convert(X: T.Tensor((count,), "uint16"), Y: T.Tensor((count,), "float32")):
        with T.Kernel(T.ceildiv(count, 4096), threads=128) as bx:
            for i in T.Parallel(4096):
                Y[bx * 4096 + i] = T.cast(T.cast(T.reinterpret(X[bx * 4096 + i], "bfloat16"), dst), "float32")
    return convert


def widened(src, dst, count):
    if src == "float4_e2m1fn":
        @T.prim_func
        def unpack(X: T.Tensor((count,), src), Y: T.Tensor((count,), dst)):
            with T.Kernel(1, threads=32):
                T.copy(X, Y)
        return unpack

    @T.prim_func
    def widen(X: T.Tensor((count,), "uint8"), Y: T.Tensor((count,), dst)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(count):
                Y[i] = T.cast(T.reinterpret(X[i], src), dst)
    return widen


class Conversions(unittest.TestCase):
    DEVICES = {"sm_90a": "sim", "cpu": "cpu"}

    def each(self):
        for target, device in self.DEVICES.items():
            for name in FORMATS:
                with self.subTest(target=target, format=name), support.device(device):
                    yield target, name

    def test_from_every_half_and_many_floats(self):
        for target, name in self.each():
            sources = [("float32", single_floats()), ("float16", halves().view(np.float16)),
                       ("float64", single_floats().astype(np.float64) * (1 + 2.0**-40))]
            for src, x in sources[:1 if target == "cpu" else 3]:  # there each takes a C compiler's time
                kernel = tilelang.compile(as_bytes(src, name, len(x)), target=target)
                four = name == "float4_e2m1fn"
                got = np.zeros(len(x) // 2 if four else len(x), np.uint8)
                kernel(x, got)
                with np.errstate(all="ignore"):
                    wanted = FORMATS[name](x.astype(np.float64))
                np.testing.assert_array_equal(got, narrow.pairs(wanted) if four else wanted, src)

    def test_from_every_bfloat(self):
        for target, name in self.each():
            got = np.zeros(65536, np.float32)
            tilelang.compile(from_bfloat(name, 65536), target=target)(halves(), got)
            with np.errstate(all="ignore"):
                x = (halves().astype(np.uint32) << 16).view(np.float32).astype(np.float64)
                np.testing.assert_array_equal(got, values_of_codes(name)[FORMATS[name](x)].astype(np.float32))

    def test_every_code(self):
        for target, name in self.each():
            for dst in ("float32",) if target == "cpu" else ("float16", "float32", "float64"):
                wanted = values_of_codes(name)
                codes = np.arange(len(wanted)).astype(np.uint8)
                got = np.zeros(len(wanted), dst)
                kernel = tilelang.compile(widened(name, dst, len(wanted)), target=target)
                kernel(narrow.pairs(codes) if name == "float4_e2m1fn" else codes, got)
                with np.errstate(over="ignore"):
                    np.testing.assert_array_equal(got, wanted.astype(dst))


@tilelang.jit
def copied(X):
    m, n = T.const("m n")
    X: T.Tensor((m, n), T.float4_e2m1fn)
    Y = T.empty((m, n), T.float4_e2m1fn)
    with T.Kernel(m, threads=32) as i:
        T.copy(X[i, 0:n], Y[i, 0:n])
    return Y


@T.prim_func
def of_run_time(X: T.Tensor((3, T.dynamic("n")), "float4_e2m1fn"), Y: T.Tensor((3, T.dynamic("n")), "float32")):
    n = T.dynamic("n")
    with T.Kernel(3, threads=32) as i:
        for j in T.Parallel(n):
            Y[i, j] = X[i, j]


@T.prim_func
def strided(X: T.StridedTensor((4, 16), (T.dynamic("s"), 1), "float4_e2m1fn"), Y: T.Tensor((4, 16), "float4_e2m1fn")):
    with T.Kernel(1, threads=32):
        T.copy(X, Y)


class Arguments(unittest.TestCase):
    def test_bytes_of_numpy(self):
        x = np.arange(24, dtype=np.uint8).reshape(3, 8)
        for given in (x, x.view(np.int8)):
            y = copied(given)
            self.assertEqual((y.dtype, y.shape), (np.uint8, (3, 8)))
            np.testing.assert_array_equal(y, x)

    def test_extents_of_run_time_count_elements(self):
        kernel = tilelang.compile(of_run_time)
        x, y = narrow.bytes_(np.random.default_rng(1), 3, 5), np.zeros((3, 10), np.float32)
        kernel(x, y)
        np.testing.assert_array_equal(y, narrow.values_of(x))
        with self.assertRaisesRegex(tilelang.ArgumentError, "argument-shape"):
            kernel(x, np.zeros((3, 9), np.float32))

    def test_strides_count_elements(self):
        kernel = tilelang.compile(strided)
        x, y = narrow.bytes_(np.random.default_rng(2), 8, 8), np.zeros((4, 8), np.uint8)
        kernel(x[::2], y)
        np.testing.assert_array_equal(y, x[::2])

    def test_signatures_count_elements(self):
        declared = strided.buffer_map["X"]
        self.assertEqual((declared.dtype, declared.shape, declared.strides), ("float4_e2m1fn", [4, 16], ["s", 1]))
        self.assertEqual(strided.buffer_map["Y"].shape, [4, 16])

    def test_dlpack(self):
        from tilelab._gpu import dlpack

        for code, bits, lanes, name in ((11, 8, 1, "float8_e4m3fnuz"), (13, 8, 1, "float8_e5m2fnuz"), (14, 8, 1, "float8_e8m0fnu"),
                                        (17, 4, 2, "float4_e2m1fn_x2")):
            self.assertEqual(dlpack._dtype(dlpack._Tensor(code=code, bits=bits, lanes=lanes)), name)

    def test_one_in_a_byte_is_refused(self):
        class Unpacked:  # what ml_dtypes has
            __array_interface__ = {"shape": (3, 16), "typestr": "<V1", "data": (64, False), "version": 3}
            dtype = type("dtype", (), {"name": "float4_e2m1fn"})()

        with self.assertRaisesRegex(tilelang.ArgumentError, "one element(.|\n)*pack them"):
            tilelang.compile(of_run_time)(Unpacked(), np.zeros((3, 16), np.float32))
        with self.assertRaisesRegex(tilelang.ArgumentError, "two in a byte(.|\n)*float4_e2m1fn_x2"):
            tilelang.compile(of_run_time)(np.zeros((3, 8), np.float32), np.zeros((3, 16), np.float32))

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_bytes_of_torch(self):
        import torch

        x = torch.arange(24, dtype=torch.uint8).reshape(3, 8)
        for given in (x, x.view(torch.int8), *([x.view(torch.float4_e2m1fn_x2)] if hasattr(torch, "float4_e2m1fn_x2") else [])):
            y = copied(given)
            self.assertEqual((y.dtype, tuple(y.shape)), (T.float4_e2m1fn.as_torch(), (3, 8)))
            self.assertTrue(torch.equal(y.view(torch.uint8), x))


def refused(body, *, shared="(16, 16)", dtype="float4_e2m1fn"):
    """The message for a kernel with these statements."""
    lines = "\n            ".join(body)
    text = f"""
@T.prim_func
def kernel(X: T.Tensor((16, 16), "{dtype}"), Y: T.Tensor((16, 16), "float32"), at: T.Tensor((16,), "int32")):
    with T.Kernel(1, threads=32) as bx:
            s = T.alloc_shared({shared}, "{dtype}")
            f = T.alloc_fragment((16, 16), "float32")
            tx = T.get_thread_binding()
            {lines}
"""
    import linecache
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        space = {"T": T}
        linecache.checkcache(file.name)
        try:
            exec(compile(text, file.name, "exec"), space)
            tilelang.compile(space["kernel"])
        except Exception as error:
            return str(error)
    return ""


class Refusals(unittest.TestCase):
    def expect(self, pattern, *body, **options):
        with self.subTest(body=body):
            self.assertRegex(refused(body, **options), pattern)

    def test_halves_of_one_byte(self):
        for index in ("at[i]", "i * 3", "i + at[0]", "i ^ 1", "15 - i"):
            self.expect("half-byte-race", "for i in T.Parallel(16):", f"    s[0, {index}] = 1.0")
        self.expect("half-byte-race", "s[0, tx % 16] = 1.0")
        self.expect("half-byte-race", "X[0, bx] = 1.0")
        self.expect("^$", "for i in T.Parallel(16):", "    s[i, 3] = 1.0", "    s[i, 2] = 1.0")
        self.expect("^$", "for i, j in T.Parallel(16, 16):", "    s[i, j] = 1.0")
        self.expect("^$", "for i, j in T.Parallel(16, 8):", "    s[i, j * 2 + 1] = 1.0")

    def test_operations_that_take_no_halves(self):
        self.expect("^$", "T.gemm(s, s, f)")
        self.expect("half-byte-use", "T.reduce_max(s, T.alloc_fragment((16,), \"float4_e2m1fn\"), dim=1)")
        self.expect("half-byte-use", "T.atomic_add(X[0, 0], 1.0)")
        self.expect("half-byte-use", "T.annotate_layout({s: T.make_swizzled_layout(s)})")
        self.expect("half-byte-use", "T.print(s)")
        self.expect("half-byte-use", "g = T.alloc_fragment((16,), \"float4_e2m1fn\")", "v = T.view(g, (8,), \"uint8\")")

    def test_rows_that_end_inside_of_a_byte(self):
        with self.assertRaisesRegex(tilelang.CompileError, "half-byte-shape"):
            @T.prim_func
            def odd(X: T.Tensor((4, 3), "float4_e2m1fn")):
                with T.Kernel(1, threads=32):
                    T.clear(X)
        self.expect("view-size|half-byte-shape", "v = T.view(s, (8, 8), \"uint8\")", shared="(16, 7)")


def doubled(dtype):
    @T.prim_func
    def main(X: T.Tensor((4, 6), dtype), Y: T.Tensor((4, 6), dtype)):
        with T.Kernel(1, threads=32):
            for i, j in T.Parallel(4, 6):
                Y[i, j] = X[i, j] + X[i, j]
    return main


class IntegersOfFourBits(unittest.TestCase):
    def test_arrays_of_bytes(self):
        given = np.arange(12, dtype=np.uint8).reshape(4, 3) * 21
        wanted = (given & 7) * 2 | (given >> 4 & 7) * 2 << 4
        for dtype, stored in (("int4", "int8"), ("uint4", "uint8")):
            kernel = tilelang.compile(doubled(dtype), out_idx=-1)
            for argument in (given, given.view("int8")):
                made = kernel(argument)
                self.assertEqual((made.dtype.name, made.shape), (stored, (4, 3)))
                np.testing.assert_array_equal(made.view("uint8"), wanted)
            with self.assertRaisesRegex(TypeError, f"{dtype}, two in a byte(.|\n)*uint8 or int8, with(.|\n)*half of each byte"):
                kernel(given.astype("float32"))
            with self.assertRaisesRegex(ValueError, "argument-shape"):
                kernel(np.zeros((4, 6), "int8"))

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
    def test_outputs_of_torch(self):
        import torch

        for dtype, stored in (("int4", torch.int8), ("uint4", torch.uint8)):
            made = tilelang.compile(doubled(dtype), out_idx=-1)(torch.full((4, 3), 0x21, dtype=stored))
            self.assertEqual((made.dtype, made.tolist()), (stored, [[0x42] * 3] * 4))

    @unittest.skipUnless(hasattr(importlib.util.find_spec("torch") and importlib.import_module("torch"), "float4_e2m1fn_x2"),
                         "needs a torch with float4_e2m1fn_x2")
    def test_floats_of_torch_are_no_integers(self):
        import torch

        floats = torch.zeros((4, 3), dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
        for dtype in ("int4", "uint4"):
            with self.assertRaisesRegex(TypeError, f"{dtype}, two in a byte(.|\n)*float4_e2m1fn"):
                tilelang.compile(doubled(dtype), out_idx=-1)(floats)

    def test_limits_and_comparisons(self):
        @T.prim_func
        def main(Y: T.Tensor((6,), "int32")):
            with T.Kernel(1, threads=32):
                Y[0] = T.min_value("int4")
                Y[1] = T.max_value("int4")
                Y[2] = T.max_value("uint4")
                x = T.cast(9, "int4")
                Y[3] = x
                Y[4] = T.if_then_else(x < T.cast(0, "int4"), 1, 2)
                y = T.alloc_var("uint4")
                y = 20
                Y[5] = y
        self.assertEqual(tilelang.compile(main, out_idx=-1)().tolist(), [-8, 7, 15, -7, 1, 4])

    def test_refused(self):
        with self.assertRaisesRegex(tilelang.CompileError, "int4 of a value outside of T.Kernel"):
            @T.prim_func
            def small(n: T.int32, Y: T.Tensor((8,), "int32")):
                with T.Kernel(T.cast(n, "int4"), threads=32) as bx:
                    Y[bx] = n
        with self.assertRaisesRegex(tilelang.CompileError, "cannot multiply float16 by int4"):
            @T.prim_func
            def mixed(C: T.Tensor((16, 16), "float32")):
                with T.Kernel(1, threads=32):
                    h, s = T.alloc_shared((16, 16), "float16"), T.alloc_shared((16, 16), "int4")
                    c = T.alloc_fragment((16, 16), "float32")
                    T.clear(h)
                    T.clear(s)
                    T.gemm(h, s, c, clear_accum=True)
                    T.copy(c, C)
        with self.assertRaisesRegex(tilelang.CompileError, "int4 of a scalar argument(.|\n)*T.cast"):
            @T.prim_func
            def main(n: T.int4, Y: T.Tensor((1,), "int32")):
                with T.Kernel(1, threads=32):
                    Y[0] = n


@T.prim_func
def seen_as_bytes(X: T.Tensor((16, 16), "float4_e2m1fn"), Y: T.Tensor((16, 8), "uint8"), Z: T.Tensor((8, 32), "float4_e2m1fn")):
    with T.Kernel(1, threads=32):
        s = T.alloc_shared((16, 16), "float4_e2m1fn")
        T.copy(X, s)
        b = T.view(s, (16, 8), "uint8")
        for i, j in T.Parallel(16, 8):
            Y[i, j] = b[i, j] ^ T.uint8(0x88)
        T.copy(T.reshape(s, (8, 32)), Z)


class Views(unittest.TestCase):
    def test_bytes_and_shapes(self):
        x = narrow.bytes_(np.random.default_rng(3), 16, 8)
        y, z = np.zeros((16, 8), np.uint8), np.zeros((8, 16), np.uint8)
        tilelang.compile(seen_as_bytes)(x, y, z)
        np.testing.assert_array_equal(y, x ^ 0x88)
        np.testing.assert_array_equal(z, x.reshape(8, 16))

    def test_wide_accesses(self):
        @T.prim_func
        def halved(X: T.Tensor((64, 128), "float4_e2m1fn"), Y: T.Tensor((64, 128), "float4_e2m1fn")):
            with T.Kernel(2, threads=128) as bx:
                s = T.alloc_shared((32, 128), "float4_e2m1fn")
                f = T.alloc_fragment((32, 128), "float16")
                T.copy(X[bx * 32, 0], s)
                T.copy(s, f)
                for i, j in T.Parallel(32, 128):
                    s[i, j] = f[i, j] / 2
                T.copy(s, Y[bx * 32, 0])
        source = tilelang.compile(halved, target="sm_80").get_kernel_source()
        self.assertIn("tl_move<tl_u8x16>(s + tid * 16, X", source)  # whole bytes go as bytes
        self.assertIn("tl_move<tl_u8x8>(s + i * 1024 + tid * 8, s_v)", source)  # not by halves
        self.assertNotIn(" s[", source.partition("__align__(16)")[2])


if __name__ == "__main__":
    unittest.main()
