# SPDX-License-Identifier: Apache-2.0
"""Functions of other languages: the source in the code of GPUs, models on the simulator and on the cpu."""

import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T


LEVELS = ("sim", "sim:thread", "sim:flat")
DECODER = """
template <typename T1, typename T2>
__device__ void decode_i4u_to_f16(T1 *packed, T2 *out, const int N = 8) { asm volatile("// decodes"); }
"""
SQUARE = "__device__ float own_square(float x) { return x * x; }"


def gemv(source, name, n=64, k=128):
    """A product of packed weights with a vector, as TileLang's examples write it: each thread decodes eight of them."""
    @T.prim_func
    def main(A: T.Tensor((k,), "float16"), B: T.Tensor((n, k // 2), "int8"), C: T.Tensor((n,), "float32")):
        with T.Kernel(n, threads=k // 8) as row:
            T.import_source(source)
            tx = T.get_thread_binding()
            packed = T.alloc_local((4,), "int8")
            weights = T.alloc_local((8,), "float16")
            sums = T.alloc_shared((k // 8,), "float32")
            for v in T.vectorized(4):
                packed[v] = B[row, tx * 4 + v]
            T.call_extern(name, T.access_ptr(packed, "r"), T.access_ptr(weights, "w"), dtype="float16")
            total = T.alloc_var("float32")
            total = 0.0
            for v in T.serial(8):
                total += A[tx * 8 + v] * weights[v]
            sums[tx] = total
            T.sync_threads()
            if tx == 0:
                for t in T.serial(k // 8):
                    C[row] = T.if_then_else(t == 0, 0.0, C[row]) + sums[t]
    return main


def interleaved(weights):
    """Weights in the order that the decoder expects: pair i of a word has elements i and i + 4."""
    groups = weights.reshape(-1, 8)
    nibbles = np.zeros_like(groups)
    for i in range(4):
        nibbles[:, i], nibbles[:, i + 4] = groups[:, 2 * i], groups[:, 2 * i + 1]
    return (nibbles[:, 0::2] | nibbles[:, 1::2] << 4).astype("uint8").view("int8").reshape(weights.shape[0], -1)


class KnownFunctions(unittest.TestCase):
    def test_decoder_of_packed_weights(self):
        rng = np.random.default_rng(0)
        weights, a = rng.integers(0, 16, (64, 128)), rng.integers(-4, 5, 128).astype("float16")
        for target in ("sm_80", "sm_90a", "mp_31"):
            kernel = tilelang.compile(gemv(DECODER, "decode_i4u_to_f16"), target=target)
            for level in LEVELS:
                with self.subTest(target=target, level=level), support.device(level):
                    c = np.zeros(64, "float32")
                    kernel(a, interleaved(weights), c)
                    np.testing.assert_array_equal(c, weights @ a.astype("float64"))

    def test_code_of_gpus_has_the_function_and_no_model(self):
        for target in ("sm_80", "sm_90a", "mp_22", "mp_31"):
            source = tilelang.compile(gemv(DECODER, "decode_i4u_to_f16"), target=target).get_kernel_source()
            self.assertEqual(source.count(DECODER.strip()), 1)
            self.assertLess(source.index(DECODER.strip()), source.index("__global__"))
            body = source[source.index("__global__"):]
            self.assertEqual(body.count("decode_i4u_to_f16("), 1)
            self.assertNotIn("& 255", body)

    def run_each(self, dtype, call, *inputs):
        """A call for each element of arrays, at every level."""
        size, types = len(inputs[0]), [str(x.dtype) for x in inputs]
        first, second = (*types, types[0])[:2]

        @T.prim_func
        def main(A: T.Tensor((size,), first), B: T.Tensor((size,), second), C: T.Tensor((size,), dtype)):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(size):
                    C[i] = call(A[i], B[i])

        kernel, out = tilelang.compile(main), []
        for level in LEVELS:
            with support.device(level):
                c = np.zeros(size, dtype)
                kernel(inputs[0], inputs[-1], c)
                out.append(c)
        np.testing.assert_array_equal(out[0], out[1])
        np.testing.assert_array_equal(out[0], out[2])
        return out[0]

    def test_functions_of_cuda(self):
        x = np.array([0x01020304, 0x80ff7f00, 5, 0xfffffffe], "uint32")
        y = np.array([0x05060708, 0x01020304, 7, 0x7fffffff], "uint32")
        permuted = self.run_each("uint32", lambda a, b: T.call_extern("uint32", "__byte_perm", a, b, 0x5140), x, y)
        parts = np.concatenate([x.view("uint8").reshape(-1, 4), y.view("uint8").reshape(-1, 4)], 1)[:, [0, 4, 1, 5]]
        np.testing.assert_array_equal(permuted, np.ascontiguousarray(parts).view("uint32")[:, 0])
        dots = self.run_each("int32", lambda a, b: T.call_extern("int32", "__dp4a", a, b, 3), x.view("int32"), y.view("int32"))
        bytes_of = [v.view("int8").reshape(-1, 4).astype("int32") for v in (x, y)]
        np.testing.assert_array_equal(dots, (bytes_of[0] * bytes_of[1]).sum(1) + 3)
        high = self.run_each("uint32", lambda a, b: T.call_extern("uint32", "__umulhi", a, b), x, y)
        np.testing.assert_array_equal(high, (x.astype("uint64") * y >> np.uint64(32)).astype("uint32"))
        funnel = self.run_each("uint32", lambda a, b: T.call_extern("uint32", "__funnelshift_l", a, b, 12), x, y)
        np.testing.assert_array_equal(funnel, y << np.uint32(12) | x >> np.uint32(20))
        first = self.run_each("int32", lambda a, b: T.call_extern("int32", "__ffs", a), x.view("int32"))
        np.testing.assert_array_equal(first, [3, 9, 1, 2])
        reverse = self.run_each("uint32", lambda a, b: T.call_extern("uint32", "__brev", a), x)
        self.assertEqual([f"{v:032b}" for v in reverse], [f"{v:032b}"[::-1] for v in x])
        floats = np.array([0.5, -2.0, 3.0, 1.0], "float32")
        bits = self.run_each("uint32", lambda a, b: T.call_extern("uint32", "__float_as_uint", a), floats)
        np.testing.assert_array_equal(bits, floats.view("uint32"))
        fast = self.run_each("float32", lambda a, b: T.call_extern("float32", "__expf", a), floats)
        np.testing.assert_allclose(fast, np.exp(floats.astype("float64")), rtol=1e-6)

    def test_conversions_in_a_direction(self):
        rng = np.random.default_rng(1)
        x = np.concatenate([rng.standard_normal(60), [0.0, 2049.0, -2049.0, 1e-7]]).astype("float32")
        near = x.astype("float16")
        below = np.where(near.astype("float32") > x, np.nextafter(near, np.float16(-np.inf)), near)
        above = np.where(near.astype("float32") < x, np.nextafter(near, np.float16(np.inf)), near)
        expected = {"rz": np.where(x < 0, above, below), "rd": below, "ru": above}
        for mode, values in expected.items():
            made = self.run_each("float16", lambda a, b: T.call_extern("float16", "__float2half_" + mode, a), x)
            np.testing.assert_array_equal(made, values, mode)
        truncated = self.run_each("uint16", lambda a, b: T.reinterpret(T.call_extern("bfloat16", "__float2bfloat16_rz", a), "uint16"), x)
        np.testing.assert_array_equal(truncated, x.view("uint32") >> 16)
        for mode, rounded in (("rn", np.rint), ("rz", np.trunc), ("rd", np.floor), ("ru", np.ceil)):
            made = self.run_each("int32", lambda a, b: T.call_extern("int32", "__float2int_" + mode, a * 7.0), x)
            np.testing.assert_array_equal(made, rounded(x * np.float32(7)).astype("int32"), mode)


class Decoders(unittest.TestCase):
    """Each decoder of the table, against the bit operations of its source in NumPy."""

    def decoded(self, name, packed, count, dtype, *more):
        widths = [str(x.dtype) for x in more]
        scale_type, zero_type = (*widths, "float16", "float16")[:2]
        scale, zeros = (*more, *[np.zeros(1, "float16")] * 2)[:2]
        given = len(more)

        @T.prim_func
        def main(A: T.Tensor((len(packed),), "int8"), S: T.Tensor((1,), scale_type), Z: T.Tensor((1,), zero_type), C: T.Tensor((count,), dtype)):
            with T.Kernel(1, threads=1):
                T.import_source(f"template <class... Arguments> __device__ void {name}(Arguments...) {{}}")
                source, out = T.alloc_local((len(packed),), "int8"), T.alloc_local((count,), dtype)
                T.copy(A, source)
                extra = (T.access_ptr(S[0], "r"), T.access_ptr(Z[0], "r"))[:given]
                T.call_extern("handle", name, T.access_ptr(source, "r"), T.access_ptr(out, "w"), *extra)
                T.copy(out, C)

        out = np.zeros(count, dtype)
        tilelang.compile(main)(packed, scale, zeros, out)
        return out

    def test_to_float16(self):
        packed = np.array([0x1f, -0x5d, 0x7c, -0x11], "int8")
        word = int(packed.view("uint32")[0])
        scale, zeros = np.array([0.75], "float16"), np.array([3], "float16")
        for bits, middle in ((4, 8), (2, 2), (1, 1)):
            spread = {4: word, 2: word & 0xff | (word & 0xff00) << 8, 1: word & 15 | (word & 0xf0) << 12}[bits]
            plain = np.array([(spread >> (bits * (i // 2) + 16 * (i % 2))) & ((1 << bits) - 1) for i in range(8)], "float16")
            signed = 2 * plain - 1 if bits == 1 else plain - np.float16(middle)
            np.testing.assert_array_equal(self.decoded(f"decode_i{bits}u_to_f16", packed, 8, "float16"), plain)
            np.testing.assert_array_equal(self.decoded(f"decode_i{bits}s_to_f16", packed, 8, "float16"), signed)
            np.testing.assert_array_equal(self.decoded(f"decode_i{bits}s_to_f16_scale", packed, 8, "float16", scale), signed * scale)
            if bits == 1:
                continue
            name = f"decode_i{bits}u_to_f16_scale_zeros"
            np.testing.assert_array_equal(self.decoded(name + "_original", packed, 8, "float16", scale, zeros), (plain - zeros) * scale)
            np.testing.assert_array_equal(self.decoded(name + "_rescale", packed, 8, "float16", scale, zeros), plain * scale - zeros)
            of_bits = zeros.astype("int16")
            np.testing.assert_array_equal(self.decoded(name + "_quantized", packed, 8, "float16", scale, of_bits), (plain - zeros) * scale)

    def test_to_int8(self):
        packed = np.array([0x1f, -0x5d, 0x7c, -0x11, 0x23, 0x45, 0x67, -0x77], "int8")
        word, second = (int(v) for v in packed.view("uint32"))
        words = {4: [word, word >> 4, second, second >> 4], 2: [word >> 2 * i for i in range(4)]}
        one = word & 0x0f0f | (word & 0xf0f0) << 12
        words[1] = [one >> i for i in range(4)]
        for bits, middle in ((4, 7), (2, 2), (1, 1)):
            plain = np.array([(words[bits][i // 4] >> (8 * (i % 4))) & ((1 << bits) - 1) for i in range(16)], "int8")
            signed = 2 * plain - 1 if bits == 1 else plain - middle
            np.testing.assert_array_equal(self.decoded(f"decode_i{bits}u_to_i8s", packed, 16, "int8"), plain)
            np.testing.assert_array_equal(self.decoded(f"decode_i{bits}s_to_i8s", packed, 16, "int8"), signed)

    def test_fp4_to_bfloat16(self):
        """Each value at each position of a word, in the twiddled order."""
        e2m1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
        places = ((15, 8, 7, 6), (12, 5, 4, 3), (9, 2, 1, 0), (14, 11, 10, 13))
        words = []
        for value in range(16):
            for at in range(8):
                low = 16 if at < 4 else 0
                words.append(sum(((value >> (3 - k)) & 1) << (low + place) for k, place in enumerate(places[at % 4])))
        expected = np.zeros((128, 8), "float32")
        for row, (value, at) in enumerate((value, at) for value in range(16) for at in range(8)):
            expected[row, at] = (-1) ** (value >> 3) * e2m1[value & 7]
        packed = np.array(words, ">u4").view("int8")

        @T.prim_func
        def main(A: T.Tensor((512,), "int8"), C: T.Tensor((1024,), "float32")):
            with T.Kernel(1, threads=128):
                T.import_source("template <class... Arguments> __device__ void decode_fp4_to_bf16_twiddling(Arguments...) {}")
                tx = T.get_thread_binding()
                source, out = T.alloc_local((4,), "int8"), T.alloc_local((8,), "bfloat16")
                for v in T.vectorized(4):
                    source[v] = A[tx * 4 + v]
                T.call_extern("handle", "decode_fp4_to_bf16_twiddling", T.access_ptr(source, "r"), T.access_ptr(out, "w"), 1)
                for v in T.serial(8):
                    C[tx * 8 + v] = out[v]

        for level in LEVELS:
            with self.subTest(level), support.device(level):
                out = np.zeros(1024, "float32")
                tilelang.compile(main)(packed, out)
                np.testing.assert_array_equal(out.reshape(128, 8), expected)


class OwnModels(unittest.TestCase):
    def squares(self):
        @tilelang.jit
        def kernel(A, B):
            A: T.Tensor((64,), "float32")
            B: T.Tensor((64,), "float32")
            with T.Kernel(1):
                T.import_source(SQUARE)
                for i in T.Parallel(64):
                    B[i] = T.call_extern("float32", "own_square", A[i])
        return kernel

    def test_latest_model_counts(self):
        kernel, x = self.squares(), np.arange(64, dtype="float32")
        for power in (2, 3):
            @T.extern_model("own_square")
            def model(value):
                return value ** 2 if power == 2 else value * value * value

            for level in ("sim", "cpu"):
                with support.device(level):
                    y = np.zeros(64, "float32")
                    kernel(x, y)
                    np.testing.assert_array_equal(y, x**power)

    def test_stops_without_a_model(self):
        @tilelang.jit
        def kernel(A):
            A: T.Tensor((64,), "float32")
            with T.Kernel(1):
                s = T.alloc_shared((64,), "float32")
                T.import_source("__device__ void never_seen(float* p);")
                T.copy(A, s)
                T.call_extern("handle", "never_seen", T.access_ptr(s[0], "rw", 64))
                T.copy(s, A)

        for level in (*LEVELS, "cpu"):
            with self.subTest(level), support.device(level):
                with self.assertRaises(tilelang.KernelError) as raised:
                    kernel(np.zeros(64, "float32"))
                self.assertIn("extern-without-model", str(raised.exception))
                self.assertIn("never_seen", str(raised.exception))
                self.assertIn("test_foreign_functions.py, line", str(raised.exception))
                self.assertIn("T.extern_model", str(raised.exception))
        self.assertIn("never_seen(tl_to_foreign(", kernel.compile(target="sm_90a").get_kernel_source())

    def test_source_without_calls(self):
        @tilelang.jit
        def kernel(A):
            A: T.Tensor((64,), "float32")
            with T.Kernel(1, prelude="// a prelude"):
                T.import_source(SQUARE)
                T.import_source(None)
                T.import_source("// another source")
                T.import_source(SQUARE)
                for i in T.Parallel(64):
                    A[i] = A[i] + 1

        for level in (*LEVELS, "cpu"):
            with self.subTest(level), support.device(level):
                a = np.zeros(64, "float32")
                kernel(a)
                self.assertEqual(a.sum(), 64)
        for target in ("sm_90a", "mp_31"):
            source = kernel.compile(target=target).get_kernel_source()
            order = [source.index(part) for part in ("tl_foreign.h", "// a prelude", SQUARE, "// another source", "__global__")]
            self.assertEqual(order, sorted(order))
            self.assertEqual(source.count(SQUARE), 1)

    def test_each_thread_executes_the_call(self):
        @T.extern_model("count_threads")
        def count_threads(counter):
            T.atomic_add(counter[0], 1)

        @T.prim_func
        def main(C: T.Tensor((2,), "int32")):
            with T.Kernel(2, threads=64) as bx:
                T.import_source("__device__ void count_threads(int* counter) { atomicAdd(counter, 1); }")
                T.call_extern("handle", "count_threads", T.address_of(C[bx]))

        kernel = tilelang.compile(main, target="sm_90a")
        for level in LEVELS:
            with self.subTest(level), support.device(level):
                c = np.zeros(2, "int32")
                kernel(c)
                np.testing.assert_array_equal(c, [64, 64])

    def test_addresses_in_rows(self):
        @T.extern_model("halves")
        def halves(source, out, n):
            for k in T.serial(n):
                out[k] = source[k] / 2

        @T.prim_func
        def main(A: T.Tensor((8, 16), "float32"), B: T.Tensor((8, 16), "float32")):
            with T.Kernel(1, threads=8):
                T.import_source("__device__ void halves(float* source, float* out, int n) { while (n--) out[n] = source[n] / 2; }")
                tx = T.get_thread_binding()
                s = T.alloc_shared((8, 16), "float32")
                T.copy(A, s)
                T.call_extern("handle", "halves", T.access_ptr(s[tx, 0], "r", 16), T.access_ptr(B[tx, 0], "w", 16), 16)

        for target in ("sm_90a", "mp_31"):
            kernel = tilelang.compile(main, target=target)
            for level in LEVELS:
                with self.subTest(target=target, level=level), support.device(level):
                    a, b = np.arange(128, dtype="float32").reshape(8, 16), np.zeros((8, 16), "float32")
                    kernel(a, b)
                    np.testing.assert_array_equal(b, a / 2)



PLAIN = """
__device__ __forceinline__ float bent(float x, int n) { return x > 0 ? x * n : x; }
template <class S, class D> __device__ void scaled(const S* source, D* out, float* sum, float by) {
  for (int i = 0; i < 4; ++i) out[i] = (D)((float)source[i] * by), *sum += (float)source[i];
}
"""


class HostedFunctions(unittest.TestCase):
    """Plain C++ without a model is compiled for this machine."""

    def test_values(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                T.import_source(PLAIN)
                for i in T.Parallel(64):
                    B[i] = T.call_extern("float32", "bent", A[i], 3)

        a = np.linspace(-1, 1, 64, dtype="float32")
        for target, levels in (("sm_90a", LEVELS), ("mp_31", LEVELS), ("cpu", ("cpu",))):
            kernel = tilelang.compile(main, target=target)
            for level in levels:
                with self.subTest(target=target, level=level), support.device(level):
                    b = np.zeros(64, "float32")
                    kernel(a, b)
                    np.testing.assert_array_equal(b, np.where(a > 0, a * np.float32(3), a))

    def test_memory(self):
        @T.prim_func
        def main(A: T.Tensor((32, 4), "int8"), B: T.Tensor((32, 4), "float16"), C: T.Tensor((32,), "float32")):
            with T.Kernel(1, threads=32):
                T.import_source(PLAIN)
                tx = T.get_thread_binding()
                sums, out = T.alloc_shared((32,), "float32"), T.alloc_local((4,), "float16")
                sums[tx] = tx
                T.call_extern("handle", "scaled", T.access_ptr(A[tx, 0], "r", 4), T.access_ptr(out, "w"), T.access_ptr(sums[tx], "rw"), 0.5)
                for v in T.serial(4):
                    B[tx, v] = out[v]
                C[tx] = sums[tx]

        a = np.arange(-64, 64, dtype="int8").reshape(32, 4)
        for target in ("sm_80", "mp_31"):
            kernel = tilelang.compile(main, target=target)
            for level in LEVELS:
                with self.subTest(target=target, level=level), support.device(level):
                    b, c = np.zeros((32, 4), "float16"), np.zeros(32, "float32")
                    kernel(a, b, c)
                    np.testing.assert_array_equal(b, a * np.float16(0.5))
                    np.testing.assert_array_equal(c, a.sum(1) + np.arange(32))


class SourceKernels(unittest.TestCase):
    def test_launch(self):
        source = """extern "C" __global__ void __launch_bounds__(128) doubled(float* A, float by, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) A[i] *= by;
        }"""
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), by: T.float32):
            T.CUDASourceCodeKernel(T.ceildiv(n, 128), threads=128, source_code_or_path=source, entry_name="doubled")

        kernel = tilelang.compile(main, target="sm_90a")
        self.assertEqual(kernel.get_kernel_source().count("__global__"), 1)
        self.assertIn(source, kernel.get_kernel_source())
        with self.assertRaisesRegex(tilelang.KernelError, "extern-without-model.*doubled"):
            kernel(np.zeros(100, "float32"), 2.0)


if __name__ == "__main__":
    unittest.main()
