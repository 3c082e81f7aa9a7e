# SPDX-License-Identifier: Apache-2.0
"""The type of an operation: numbers of Python beside values of every kind, and values beside each other (docs/adr/0024)."""

import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T

seen = {"numbers": {}, "bits": {}, "values": {}}  # by kind: {the value's dtype: those of the operations}


def see(kind, operand, *dtypes):
    """Called while a kernel is read."""
    seen[kind][str(operand)] = tuple(map(str, dtypes))




@T.prim_func
def beside_numbers(h: T.Tensor((4,), "float16"), b: T.Tensor((4,), "bfloat16"), f: T.Tensor((4,), "float32"), d: T.Tensor((4,), "float64"),
                   e: T.Tensor((4,), "float8_e4m3"), i8: T.Tensor((4,), "int8"), u8: T.Tensor((4,), "uint8"), i16: T.Tensor((4,), "int16"),
                   u16: T.Tensor((4,), "uint16"), i32: T.Tensor((4,), "int32"), u32: T.Tensor((4,), "uint32"), i64: T.Tensor((4,), "int64"),
                   u64: T.Tensor((4,), "uint64"), q: T.Tensor((4,), "bool")):
    with T.Kernel(1, threads=32):
        for x in [h[0], b[0], f[0], d[0], e[0], i8[0], u8[0], i16[0], u16[0], i32[0], u32[0], i64[0], u64[0], q[0]]:
            see("numbers", x.dtype, (x * 1.5).dtype, (2.5 - x).dtype, (x + 1).dtype, (3 * x).dtype, (x > 0).dtype, T.max(x, 0).dtype,
                T.min(0.5, x).dtype, T.if_then_else(f[0] > 0, x, 2).dtype, (x + 3000000000).dtype)


@T.prim_func
def of_bits(i8: T.Tensor((4,), "int8"), u8: T.Tensor((4,), "uint8"), i32: T.Tensor((4,), "int32"), u32: T.Tensor((4,), "uint32"),
            i64: T.Tensor((4,), "int64")):
    with T.Kernel(1, threads=32):
        for x in [i8[0], u8[0], i32[0], u32[0], i64[0]]:
            see("bits", x.dtype, (x & 15).dtype, (1 | x).dtype, (x ^ 3).dtype, (x << 2).dtype, (x >> 1).dtype, (~x).dtype)


@T.prim_func
def beside_each_other(h: T.Tensor((4,), "float16"), f: T.Tensor((4,), "float32"), i8: T.Tensor((4,), "int8"), u8: T.Tensor((4,), "uint8"),
                      i32: T.Tensor((4,), "int32"), u32: T.Tensor((4,), "uint32"), i64: T.Tensor((4,), "int64")):
    with T.Kernel(1, threads=32):
        see("values", "", (h[0] * f[0]).dtype, (i8[0] + h[0]).dtype, (i8[0] + u8[0]).dtype, (i32[0] * u32[0]).dtype, (i8[0] - u32[0]).dtype,
            (u8[0] + i32[0]).dtype, (u32[0] + i64[0]).dtype, (u32[0] + -1).dtype, (u8[0] & i8[0]).dtype)


class Promotion(unittest.TestCase):
    def test_numbers_beside_values(self):
        wanted = {}
        for name in ("float16", "bfloat16", "float8_e4m3fn", "float32", "float64"):
            real = "float64" if name == "float64" else "float32"
            wanted[name] = (real, real, name, name, "bool", name, real, name, name)
        for name in ("int8", "uint8", "int16", "uint16", "bool", "int32"):
            wanted[name] = ("float32", "float32", "int32", "int32", "bool", "int32", "float32", "int32", "int64")
        wanted["uint32"] = ("float32", "float32", "uint32", "uint32", "bool", "uint32", "float32", "uint32", "int64")
        for name in ("int64", "uint64"):
            wanted[name] = ("float32", "float32", name, name, "bool", name, "float32", name, name)
        self.assertEqual(seen["numbers"], wanted)

    def test_bits_keep_their_type(self):
        self.assertEqual(list(seen["bits"]), ["int8", "uint8", "int32", "uint32", "int64"])
        for name, (*others, shifted_left, shifted_right, inverted) in seen["bits"].items():
            self.assertEqual({*others, shifted_right, inverted}, {name})
            self.assertEqual(shifted_left, "int32" if name in ("int8", "uint8") else name)

    def test_bytes_are_packed(self):
        @tilelang.jit(out_idx=[1], target="cpu")
        def made(n):
            @T.prim_func
            def main(b: T.Tensor((n,), "uint8"), o: T.Tensor((n,), "uint32")):
                with T.Kernel(1):
                    for i in T.Parallel(n):
                        o[i] = T.cast((b[i] << 8) | b[i], "uint32")
            return main
        given = np.array([1, 2, 255], np.uint8)
        np.testing.assert_array_equal(made(3)(given), given.astype(np.uint32) * 257)

    def test_values_beside_each_other(self):
        self.assertEqual(seen["values"][""], ("float32", "float16", "uint8", "uint32", "uint32", "int32", "int64", "int32", "uint8"))

    def test_what_it_is_for(self):
        @tilelang.jit(out_idx=[2, 3], target="cpu")
        def made(n):
            @T.prim_func
            def main(g: T.Tensor((n,), "float16"), codes: T.Tensor((n,), "int8"), o: T.Tensor((n,), "float32"), c: T.Tensor((n,), "int32")):
                with T.Kernel(1, threads=64):
                    for i in T.Parallel(n):
                        o[i] = T.exp2(-g[i] * 1.4426950408889634) * 1e10
                        c[i] = codes[i] * 2 - 1
            return main
        g = -np.arange(0, 32, 0.5).astype(np.float16)
        codes = np.arange(-128, 128, 4).astype(np.int8)
        o, c = made(64)(g, codes)
        np.testing.assert_allclose(o, np.exp(-g.astype(np.float64)) * 1e10, rtol=1e-5)
        np.testing.assert_array_equal(c, codes.astype(np.int32) * 2 - 1)

    def test_reducers_narrower_than_what_they_take(self):
        """`acc[i] += x` is then computed in x's type; for the reducer it is an update all the same."""
        def made(dtype, given, op):
            @T.prim_func
            def main(A: T.Tensor((8, 32), given), B: T.Tensor((8,), dtype)):
                with T.Kernel(1, threads=64):
                    acc = T.alloc_reducer((8,), dtype, op=op)
                    T.reducer_init(acc)
                    for i, j in T.Parallel(8, 32):
                        if op == "sum":
                            acc[i] += A[i, j] * 2
                        else:
                            acc[i] = T.max(acc[i], A[i, j])
                    T.finalize_reducer(acc)
                    T.copy(acc, B)
            return tilelang.compile(main, out_idx=[1], target="cpu")
        values = np.random.default_rng(5).integers(0, 30, (8, 32))
        for dtype, given, op in (("float16", "float32", "sum"), ("int16", "int16", "sum"), ("int32", "int64", "sum"),
                                 ("float16", "float32", "max"), ("uint8", "int32", "max")):
            wanted = values.max(1) if op == "max" else 2 * values.sum(1)  # 1,920 at most: f16 has it
            np.testing.assert_array_equal(made(dtype, given, op)(values.astype(given)), wanted.astype(dtype), f"{dtype} {given} {op}")


if __name__ == "__main__":
    unittest.main()
