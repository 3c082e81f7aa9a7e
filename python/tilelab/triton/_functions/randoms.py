# SPDX-License-Identifier: Apache-2.0
"""Random numbers: Philox 4x32, 10 rounds (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011)."""

from .. import _semantics as semantics
from .._errors import fail
from .._types import ALL, float32, uint32
from .registry import TABLE, builtin

_KEYS, _ROUNDS = (0x9E3779B9, 0xBB67AE85), (0xD2511F53, 0xCD9E8D57)


def _philox(t, seed, counters, rounds):
    """Four random words for a counter of four words; the key is the seed."""
    b = t.builder

    def op(name, x, y):
        return semantics.binary(b, name, x, y)

    def high(number, value):
        return TABLE["umulhi"].call(t, (semantics.tensor(b, number, uint32), value), {})

    seed = semantics.tensor(b, seed)
    if seed.dtype.is_floating():
        fail(f"the seed of random numbers is a {seed.dtype}", "pass an integer")
    seed = semantics.cast(b, seed, ALL["uint64"])
    keys = [semantics.cast(b, op("&", seed, 0xFFFFFFFF), uint32), semantics.cast(b, op(">>", seed, 32), uint32)]
    c0, c1, c2, c3 = counters
    for _ in range(rounds):
        odd, even = c0, c2
        c0 = op("^", op("^", high(_ROUNDS[1], even), c1), keys[0])
        c2 = op("^", op("^", high(_ROUNDS[0], odd), c3), keys[1])
        c1, c3 = op("*", even, semantics.tensor(b, _ROUNDS[1], uint32)), op("*", odd, semantics.tensor(b, _ROUNDS[0], uint32))
        keys = [op("+", key, semantics.tensor(b, by, uint32)) for key, by in zip(keys, _KEYS)]
    return c0, c1, c2, c3


def _words(t, seed, offset, rounds):
    b = t.builder
    offset = semantics.tensor(b, offset)
    zero = semantics.tensor(b, 0, uint32)
    low, high = semantics.cast(b, offset, uint32), zero
    if offset.op.dtype.primitive_bitwidth == 64:
        high = semantics.cast(b, semantics.binary(b, ">>", offset, 32), uint32)
    return _philox(t, seed, (low, high, zero, zero), t.as_static(rounds, "n_rounds"))


@builtin()
def philox(t, seed, c0, c1, c2, c3, n_rounds=10):
    """Four random words for a counter of four words."""
    counters = [semantics.cast(t.builder, semantics.tensor(t.builder, c), uint32) for c in (c0, c1, c2, c3)]
    return _philox(t, seed, counters, t.as_static(n_rounds, "n_rounds"))


@builtin()
def randint4x(t, seed, offset, n_rounds=10):
    """Four blocks of random uint32."""
    return _words(t, seed, offset, n_rounds)


@builtin()
def randint(t, seed, offset, n_rounds=10):
    """A block of random uint32."""
    return randint4x(t, seed, offset, n_rounds)[0]


@builtin()
def uint_to_uniform_float(t, x):
    """Random words as float32 in [0, 1)."""
    return _uniform(t, x)


def _uniform(t, x):
    b = t.builder
    wide = x.op.dtype.primitive_bitwidth == 64
    x = semantics.bitcast(b, x, ALL["int64" if wide else "int32"])
    folded = semantics.where(b, semantics.binary(b, "<", x, 0), semantics.binary(b, "-", semantics.unary(b, "-", x), 1), x)
    return semantics.binary(b, "*", semantics.cast(b, folded, float32), 1.0842020432385337e-19 if wide else 4.6566127342e-10)


@builtin()
def rand(t, seed, offset, n_rounds=10):
    """A block of random float32 in [0, 1)."""
    return _uniform(t, randint(t, seed, offset, n_rounds))


@builtin()
def rand4x(t, seed, offsets, n_rounds=10):
    """Four blocks of random float32 in [0, 1)."""
    return tuple(_uniform(t, x) for x in randint4x(t, seed, offsets, n_rounds))


def _normal(t, u1, u2):
    """Box and Muller's transformation."""
    b = t.builder
    u1 = semantics.math_call(b, "max", [u1, 1.0e-7])
    angle = semantics.binary(b, "*", u2, 6.283185307179586)
    radius = semantics.math_call(b, "sqrt", [semantics.binary(b, "*", semantics.math_call(b, "log", [u1]), -2.0)])
    return tuple(semantics.binary(b, "*", radius, semantics.math_call(b, name, [angle])) for name in ("cos", "sin"))


@builtin()
def pair_uniform_to_normal(t, u1, u2):
    """Two blocks of normal numbers from two of uniform ones."""
    return _normal(t, u1, u2)


@builtin()
def randn(t, seed, offset, n_rounds=10):
    """A block of normal float32."""
    words = randint4x(t, seed, offset, n_rounds)
    return _normal(t, _uniform(t, words[0]), _uniform(t, words[1]))[0]


@builtin()
def randn4x(t, seed, offset, n_rounds=10):
    """Four blocks of normal float32."""
    u = [_uniform(t, x) for x in randint4x(t, seed, offset, n_rounds)]
    return (*_normal(t, u[0], u[1]), *_normal(t, u[2], u[3]))
