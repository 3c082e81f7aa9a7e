# SPDX-License-Identifier: Apache-2.0
"""Special functions of libdevice, in the language itself. Arguments and results are float64 (_functions/library.py)."""

from math import factorial

from ... import language as tl
from ..._functions import Builtin
from ..._functions.library import library

_PI = 3.141592653589793
_EULER = 0.5772156649015329
_SQRT_HALF = 0.7071067811865476


def _polynomial(x, coefficients: tl.constexpr):
    """By Horner's rule, the highest power first."""
    made = coefficients[0] * x + coefficients[1]
    for i in tl.static_range(2, len(coefficients)):
        made = made * x + coefficients[i]
    return made


# --- the error function -----------------------------------------------------------------------------------------------

# exp(x²) erfc(x) (1 + 2x) for x >= 0: a Chebyshev series in (x - 3) / (x + 3), as a polynomial.
_ERFCX = (
    9.862533510345587e-10, -3.1813541434969274e-09, -1.3312919661038687e-08, 2.7843881265502222e-08, 1.0183620603842736e-07,
    -1.205414228648938e-07, -6.166011460398726e-07, 3.3669790806407595e-07, 3.472370944977168e-06, -7.187883834404266e-07,
    -2.0100542268525612e-05, 4.94412434222366e-06, 0.0001250993424583729, -0.00010515831297813128, -0.0007798322696543306,
    0.0018886900977441495, 0.0025293918156939696, -0.023770514891530075, 0.0683080273440099, -0.11927366341676002,
    0.1296451587027594, -0.04756229435342038, -0.13562110612458117, 1.2530080582697296)


@library
def erfcx(x):
    """exp(x²) erfc(x)."""
    size = tl.abs(x)
    made = _polynomial(1.0 - 6.0 / (size + 3.0), _ERFCX) / (1.0 + 2.0 * size)
    return tl.where(x < 0.0, 2.0 * tl.exp(x * x) - made, made)


@library
def erfc(x):
    """1 - erf(x), accurate where that cancels."""
    size = tl.abs(x)
    tail = tl.exp(-size * size) * erfcx(size)
    return tl.where(x < 0.0, 2.0 - tail, tail)


def _inverse(x, rest):
    """y with erf(y) = x in [0, 1], of which `rest` is 1 - x: Winitzki's approximation, then four steps of Halley's method."""
    log = tl.log(rest * (1.0 + x))
    half = 2.0 / (_PI * 0.147) + log * 0.5
    y = tl.sqrt(tl.sqrt(half * half - log / 0.147) - half)
    for _ in tl.static_range(4):
        error = tl.where(x < 0.5, tl.erf(y) - x, rest - erfc(y))
        step = error * (0.5 * _PI ** 0.5) * tl.exp(y * y)
        y -= step / (1.0 + y * step)
    return tl.where(rest == 0.0, float("inf"), y)


@library
def erfinv(x):
    """The inverse of erf."""
    size = tl.abs(x)
    made = _inverse(size, 1.0 - size)
    return tl.where(x < 0.0, -made, made)


@library
def erfcinv(x):
    """The inverse of erfc."""
    made = _inverse(tl.abs(1.0 - x), tl.minimum(x, 2.0 - x))
    return tl.where(x > 1.0, -made, made)


@library
def normcdf(x):
    """The cumulative distribution of the standard normal distribution."""
    return 0.5 * erfc(-x * _SQRT_HALF)


@library
def normcdfinv(x):
    """The inverse of normcdf."""
    return -erfcinv(2.0 * x) / _SQRT_HALF


# --- the gamma function -----------------------------------------------------------------------------------------------

# Of Stirling's series in 1 / x², B(2n) / (2n (2n - 1)) for n = 8 to 1.
_STIRLING = (-3617 / 122400, 1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


@library
def lgamma(x):
    """The logarithm of |gamma(x)|: Stirling's series from 10 on, below by the recurrence, and below 0.5 by reflection."""
    size = tl.where(x < 0.5, 1.0 - x, x)
    factor = size
    for i in tl.static_range(1, 10):
        factor *= size + i
    low = size < 10.0
    z = tl.where(low, size + 10.0, size)
    made = (z - 0.5) * tl.log(z) - z + 0.9189385332046727 + _polynomial(1.0 / (z * z), _STIRLING) / z
    made = tl.where(low, made - tl.log(factor), made)
    sine = tl.abs(sinpi(x))
    made = tl.where(x < 0.5, tl.log(_PI / sine) - made, tl.where((x == 1.0) | (x == 2.0), 0.0, made))
    return tl.where(tl.abs(x) == float("inf"), float("inf"), made)


@library
def tgamma(x):
    """The gamma function; NaN at negative integers."""
    floor = tl.floor(x)
    odd = floor * 0.5 != tl.floor(floor * 0.5)
    made = tl.exp(lgamma(x))
    made = tl.where((x < 0.0) & odd, -made, made)
    made = tl.where(x == 0.0, 1.0 / x, made)
    return tl.where((x < 0.0) & (x == floor), float("nan"), made)


# --- Bessel functions ---------------------------------------------------------------------------------------------------

# Hankel's amplitudes P and Q x / 8 of order 0 and 1 for x >= 8: Chebyshev series in 2 (8 / x)² - 1, as polynomials.
_P0 = (
    -1.0251790052831013e-13, 3.455012974455743e-13, -1.0157485021065676e-12, 4.674289307624388e-12, -2.491146535471666e-11,
    1.550640953808597e-10, -1.2121098178951377e-09, 1.2803747743828764e-08, -2.0527448261170675e-07, 6.137416081283524e-06,
    -0.0005363673192129672, 0.9994572757882519)
_Q0 = (
    9.894020065590535e-14, -3.1231642273997054e-13, 8.172520584990984e-13, -3.48970902036278e-12, 1.7060404730873274e-11,
    -9.475810949221058e-11, 6.432698991315309e-10, -5.668703001176468e-09, 7.106214965332309e-08, -1.4771388337908456e-06,
    6.833149099340043e-05, -0.015555113879513503)
_P1 = (
    1.0923713653079462e-13, -3.697244591244297e-13, 1.0954826479277623e-12, -5.071495295696752e-12, 2.72345126828134e-11,
    -1.7137279585997966e-10, 1.3602969253877949e-09, -1.4708498448932155e-08, 2.453676633366693e-07, -7.959694699684788e-06,
    0.0008988049416705183, 1.0009070262780821)
_Q1 = (
    -1.0515607072587001e-13, 3.3322408743850924e-13, -8.785014186436455e-13, 3.770813807536884e-12, -1.855351813063018e-11,
    1.0400818107800088e-10, -7.1510179969292e-10, 6.4201186711763055e-09, -8.29196082083117e-08, 1.8212018524401882e-06,
    -9.621458822050365e-05, 0.04677687402744896)


def _series(order, count, alternates, factor=lambda k: 1.0):
    """Coefficients of sum(factor(k) (+-1)^k u^k / (k! (k + order)!)), where u = (x / 2)²."""
    sign = -1 if alternates else 1
    return tuple(sign**k * factor(k) / (factorial(k) * factorial(k + order)) for k in reversed(range(count)))


def _harmonic(k):
    return sum(1.0 / i for i in range(1, k + 1))


def _asymptotic(order, count):
    """Coefficients of the expansion of I(x) sqrt(2 pi x) / exp(x) in 1 / x."""
    out = [1.0]
    for k in range(1, count):
        out.append(-out[-1] * (4 * order**2 - (2 * k - 1)**2) / (8 * k))
    return tuple(reversed(out))


_J0, _J1 = _series(0, 28, True), _series(1, 28, True)
_Y0 = _series(0, 28, True, lambda k: -_harmonic(k))
_Y1 = _series(1, 28, True, lambda k: 2 * _EULER - _harmonic(k) - _harmonic(k + 1))
_I0, _I1 = _series(0, 40, False), _series(1, 40, False)
_LARGE_I0, _LARGE_I1 = _asymptotic(0, 30), _asymptotic(1, 30)


def _waves(x, order: tl.constexpr):
    """(J, Y) for x >= 8, from the amplitudes and the phase x - (2 order + 1) pi / 4."""
    z = 8.0 / x
    t = 2.0 * z * z - 1.0
    p = _polynomial(t, _P1 if order else _P0)
    q = _polynomial(t, _Q1 if order else _Q0) * z
    sum, difference = tl.sin(x) + tl.cos(x), tl.sin(x) - tl.cos(x)
    cosine = difference if order else sum
    sine = -sum if order else difference
    scale = _SQRT_HALF * tl.sqrt(2.0 / (_PI * x))
    return scale * (p * cosine - q * sine), scale * (p * sine + q * cosine)


@library
def j0(x):
    """The Bessel function of the first kind of order 0."""
    size = tl.abs(x)
    made = tl.where(size < 8.0, _polynomial(size * size * 0.25, _J0), _waves(size, 0)[0])
    return tl.where(size == float("inf"), 0.0, made)


@library
def j1(x):
    """The Bessel function of the first kind of order 1."""
    size = tl.abs(x)
    made = tl.where(size < 8.0, _polynomial(size * size * 0.25, _J1) * size * 0.5, _waves(size, 1)[0])
    made = tl.where(size == float("inf"), 0.0, made)
    return tl.where(x < 0.0, -made, made)


@library
def y0(x):
    """The Bessel function of the second kind of order 0; NaN below 0."""
    u = x * x * 0.25
    small = (2.0 / _PI) * ((tl.log(x * 0.5) + _EULER) * _polynomial(u, _J0) + _polynomial(u, _Y0))
    made = tl.where(x < 8.0, small, _waves(x, 0)[1])
    return tl.where(x == float("inf"), 0.0, made)


@library
def y1(x):
    """The Bessel function of the second kind of order 1; NaN below 0."""
    u = x * x * 0.25
    half = x * 0.5
    small = (2.0 * tl.log(half) * _polynomial(u, _J1) * half - 1.0 / half + _polynomial(u, _Y1) * half) / _PI
    made = tl.where(x < 8.0, small, _waves(x, 1)[1])
    made = tl.where(x == 0.0, float("-inf"), made)
    return tl.where(x == float("inf"), 0.0, made)


@library
def cyl_bessel_i0(x):
    """The modified Bessel function of the first kind of order 0."""
    size = tl.abs(x)
    large = tl.exp(size) / tl.sqrt(2.0 * _PI * size) * _polynomial(1.0 / size, _LARGE_I0)
    made = tl.where(size < 18.0, _polynomial(size * size * 0.25, _I0), large)
    return tl.where(size == float("inf"), size, made)


@library
def cyl_bessel_i1(x):
    """The modified Bessel function of the first kind of order 1."""
    size = tl.abs(x)
    large = tl.exp(size) / tl.sqrt(2.0 * _PI * size) * _polynomial(1.0 / size, _LARGE_I1)
    made = tl.where(size < 18.0, _polynomial(size * size * 0.25, _I1) * size * 0.5, large)
    made = tl.where(size == float("inf"), size, made)
    return tl.where(x < 0.0, -made, made)


# --- roots, angles and lengths --------------------------------------------------------------------------------------------

@library
def sinpi(x):
    """sin(pi x), 0 at integers."""
    phase = x - 2.0 * tl.extra.libdevice.rint(x * 0.5)
    rest = tl.where(tl.abs(phase) > 0.5, tl.where(phase < 0.0, -1.0, 1.0) - phase, phase)
    return tl.sin(_PI * rest)


@library
def cospi(x):
    """cos(pi x), 0 halfway between integers."""
    return sinpi(0.5 - tl.abs(x - 2.0 * tl.extra.libdevice.rint(x * 0.5)))


@library
def cbrt(x):
    """The cubic root."""
    size = tl.abs(x)
    made = tl.exp(tl.log(size) / 3.0)
    made = tl.where((size > 0.0) & (size < float("inf")), made - (made - size / (made * made)) / 3.0, size)
    return tl.where(x != x, x, tl.extra.libdevice.copysign(made, x))


@library
def rcbrt(x):
    """1 / cbrt(x)."""
    return 1.0 / cbrt(x)


@library
def rhypot(x, y):
    """1 / sqrt(x² + y²)."""
    return 1.0 / tl.extra.libdevice.hypot(x, y)


@library
def norm3d(x, y, z):
    """The length of a vector of three dimensions."""
    return tl.extra.libdevice.hypot(tl.extra.libdevice.hypot(x, y), z)


@library
def norm4d(x, y, z, w):
    """The length of a vector of four dimensions."""
    return tl.extra.libdevice.hypot(norm3d(x, y, z), w)


@library
def rnorm3d(x, y, z):
    """1 / norm3d(x, y, z)."""
    return 1.0 / norm3d(x, y, z)


@library
def rnorm4d(x, y, z, w):
    """1 / norm4d(x, y, z, w)."""
    return 1.0 / norm4d(x, y, z, w)


__all__ = [name for name, one in globals().items() if isinstance(one, Builtin)]
