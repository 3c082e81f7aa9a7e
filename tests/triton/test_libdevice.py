# SPDX-License-Identifier: Apache-2.0
"""Functions that only tl.extra.libdevice has, against math, NumPy and integrals."""

import math
import unittest

import numpy as np
import support
import triton
import triton.language as tl
from triton.language.extra import libdevice

INF, NAN = float("inf"), float("nan")


@triton.jit
def of_one(x, out, n, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, F(tl.load(x + i, i < n)), i < n)


@triton.jit
def of_two(x, y, out, n, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, F(tl.load(x + i, i < n), tl.load(y + i, i < n)), i < n)


@triton.jit
def of_three(x, y, z, out, n, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, F(tl.load(x + i, i < n), tl.load(y + i, i < n), tl.load(z + i, i < n)), i < n)


def integral(f, count=400):
    """The mean over [0, pi] by the trapezoidal rule, which is exact for smooth periodic functions."""
    angles = np.arange(count + 1) * (np.pi / count)
    values = f(angles[:, None])
    return (values[1:-1].sum(0) + 0.5 * (values[0] + values[-1])) / count


def bessel_j(order, x):
    return integral(lambda angle: np.cos(order * angle - x * np.sin(angle)))


def bessel_i(order, x):
    return integral(lambda angle: np.exp(x * np.cos(angle)) * np.cos(order * angle))


def each(function):
    return lambda x: np.array([function(float(one)) for one in x])


def _gamma(x):
    if x in (INF, -INF) or x == int(x) and x <= 0:
        return INF if x == INF else math.copysign(INF, x) if x == 0 else NAN
    return math.gamma(x)


def _log_gamma(x):
    return INF if x in (INF, -INF) or x == int(x) and x <= 0 else math.lgamma(x)


class Libdevice(support.Case):
    def computed(self, name, *args, dtype=None):
        out = np.zeros(len(args[0]), dtype or args[0].dtype)
        kernel = (of_one, of_two, of_three)[len(args) - 1]
        kernel[(1,)](*args, out, len(out), getattr(libdevice, name), triton.next_power_of_2(len(out)))
        return out

    def compared(self, name, expected, *args, tolerance=1e-12):
        """In float32, as the nearest number; in float64, to a relative tolerance."""
        with np.errstate(all="ignore"):
            for dtype in ("float32", "float64"):
                values = [np.array(one, dtype) for one in args]
                wanted = expected(*(one.astype("float64") for one in values)).astype(dtype)
                made = self.computed(name, *values)
                np.testing.assert_allclose(made, wanted, rtol=1e-7 if dtype == "float32" else tolerance, atol=1e-15 if dtype == "float32" else 1e-14,
                                           err_msg=f"{name} {dtype}")

    def test_error_functions(self):
        x = [-3.5, -0.7, -1e-3, 0, 1e-9, 0.3, 1, 2.5, 5, 9, INF, -INF, NAN]
        self.compared("erfc", each(math.erfc), x)
        self.compared("erfcx", each(lambda v: math.exp(v * v) * math.erfc(v)), x[:9])
        self.compared("normcdf", each(lambda v: 0.5 * math.erfc(-v / math.sqrt(2))), x)
        self.near(self.computed("erfcx", np.array([1e6, 1e30])), [1 / (1e6 * math.sqrt(math.pi)), 1 / (1e30 * math.sqrt(math.pi))], 1e-12)
        y = np.array([-0.99999, -0.5, -1e-8, 0, 0.2, 0.9, 0.999999, 1, -1, 2])
        made = self.computed("erfinv", y)
        self.near(each(math.erf)(made[:7]), y[:7], 1e-15)
        self.same(made[7:], [INF, -INF, NAN])
        q = np.array([1e-30, 1e-5, 0.3, 1, 1.7, 1.99999])
        np.testing.assert_allclose(each(math.erfc)(self.computed("erfcinv", q)), q, rtol=1e-12)
        np.testing.assert_allclose(0.5 * each(math.erfc)(-self.computed("normcdfinv", q / 2) / math.sqrt(2)), q / 2, rtol=1e-12)

    def test_gamma(self):
        x = [-3.5, -2, -1, -0.1, -0.0, 0, 1e-6, 0.4, 1, 1.5, 2, 3, 5, 9.7, 30, 1e8, INF, -INF]
        self.compared("lgamma", each(_log_gamma), x)
        self.compared("tgamma", each(_gamma), x[:15], tolerance=1e-11)

    def test_bessel(self):
        x = np.array([-20, -3, -0.1, 0, 1e-5, 0.5, 2.4, 5, 7.99, 8, 8.01, 11, 30, 100])
        for order in (0, 1):
            self.compared(f"j{order}", lambda v, order=order: bessel_j(order, v), x)
            self.compared(f"cyl_bessel_i{order}", lambda v, order=order: bessel_i(order, v), [*x[:-1], 17.9, 18, 19, 60])
        above = x[4:]
        first, second = self.computed("y0", above), self.computed("y1", above)
        wronskian = bessel_j(1, above) * first - bessel_j(0, above) * second
        np.testing.assert_allclose(wronskian, 2 / (np.pi * above), rtol=1e-10)
        at = np.array([1, 2, 5, 10, 0, -1, INF])
        self.near(self.computed("y0", at), [0.0882569642156769, 0.5103756726497451, -0.3085176252490338, 0.0556711672835994, -INF, NAN, 0], 1e-13)
        self.near(self.computed("y1", at), [-0.7812128213002887, -0.1070324315409375, 0.1478631433912268, 0.2490154242069539, -INF, NAN, 0],
                  1e-13)

    def test_angles_roots_and_lengths(self):
        x = [-3, -2.5, -0.25, 0, 0.125, 0.5, 1, 7.75, 1e6]
        self.compared("sinpi", lambda v: np.where(v == np.round(v), 0, np.sin(np.pi * np.fmod(v, 2))), x)
        self.compared("cospi", lambda v: np.where(np.abs(v % 1) == 0.5, 0, np.cos(np.pi * np.fmod(v, 2))), x)
        self.compared("cbrt", np.cbrt, [-27, -0.0, 1e-30, 8, 1e30, INF, NAN])
        self.compared("rcbrt", lambda v: 1 / np.cbrt(v), [-27, -0.0, 1e-30, 8])
        self.compared("norm3d", lambda a, b, c: np.hypot(np.hypot(a, b), c), [1, 1e20, INF], [2, 0, NAN], [-2, 1e20, 1])
        self.compared("rhypot", lambda a, b: 1 / np.hypot(a, b), [3, 1e-30], [4, 0])

    def test_exponents_and_neighbours(self):
        for dtype in ("float32", "float64"):
            least = float(np.finfo(dtype).smallest_subnormal)
            x = np.array([1, -1, 0.1, 0, 0, -0.0, 3, INF, NAN, -least, 2.0, np.finfo(dtype).max], dtype)
            y = np.array([2, -2, -1, 1, -1, 0, 3, 0, 1, 1, -INF, INF], dtype)
            self.same(self.computed("nextafter", x, y), np.nextafter(x, y))
            z = np.array([1, 0.75, -10, least, 3 * least, 1e30], dtype)
            self.same(self.computed("ilogb", z, dtype="int32"), np.frexp(z)[1] - 1)
            self.same(self.computed("logb", z), np.frexp(z)[1] - 1)
            self.same(self.computed("ilogb", x[[3, 7, 8]], dtype="int32"), [-2**31, 2**31 - 1, -2**31])
            self.same(self.computed("logb", x[[3, 7, 8]]), [-INF, INF, NAN])
            by = np.array([0, 3, -149, 200, 2000, -2000], "int32")
            with np.errstate(over="ignore", under="ignore"):
                self.same(self.computed("ldexp", z, by), np.ldexp(z, by))
                self.same(self.computed("scalbn", z, by), np.ldexp(z, by))

    def test_remainders_and_limits(self):
        x, y = [7, -7, 5.5, 1e20, 3, 2.5, 1, INF, 3, INF], [2, 2, -3, 7, INF, 1, 0, 1, NAN, INF]
        wanted = [math.remainder(a, b) if b and a < INF else NAN for a, b in zip(x, y)]
        self.same(self.computed("remainder", np.array(x), np.array(y)), wanted)
        self.compared("fdim", lambda a, b: np.where(a > b, a - b, np.where(np.isnan(a + b), NAN, 0)), [1, 2, NAN, 3], [2, 1, 1, NAN])
        self.compared("saturatef", lambda v: np.nan_to_num(np.clip(v, 0, 1)), [-1, 0.25, 7, NAN])
        half = np.array([0.5, -0.5, 2.5, -7.4, 1e12 + 0.5])
        self.same(self.computed("llround", half, dtype="int64"), [1, -1, 3, -7, 10**12 + 1])
        for mode, function in (("rn", np.rint), ("rz", np.trunc), ("rd", np.floor), ("ru", np.ceil)):
            self.same(self.computed(f"float2int_{mode}", half[:4].astype("float32"), dtype="int32"), function(half[:4]))
            self.same(self.computed(f"double2ull_{mode}", half[[0, 2, 4]], dtype="uint64"), function(half[[0, 2, 4]]))
        self.same(self.computed("ll2float_rn", np.array([2**24 + 1, -5]), dtype="float32"), [2**24, -5])

    def test_integers(self):
        x = np.array([1, -8, 0x12345678, 0, -2**31], "int32")
        y = np.array([3, -5, 0x7FFFFFFF, -2, 2**31 - 1], "int32")
        u, v = x.astype("int64"), y.astype("int64")
        self.same(self.computed("brev", x).view("uint32"), [int(f"{int(one) % 2**32:032b}"[::-1], 2) for one in x])
        self.same(self.computed("ffs", x), [1, 4, 4, 0, 32])
        self.same(self.computed("hadd", x, y), (u + v) // 2)
        self.same(self.computed("rhadd", x, y), (u + v + 1) // 2)
        self.same(self.computed("mul24", x[:2], y[:2]), [3, 40])
        self.same(self.computed("sad", np.array([3, 9], "int32"), np.array([8, 2], "int32"), np.array([10, 20], "int32")), [15, 27])
        words = [np.array([one], "int32") for one in (0x03020100, 0x07060504, 0x7250)]
        self.same(self.computed("byte_perm", *words), [0x07020500])


if __name__ == "__main__":
    unittest.main()
