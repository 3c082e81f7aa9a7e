# SPDX-License-Identifier: Apache-2.0
"""Models of well-known functions: TileLang's decoders of packed weights, and functions of CUDA that the language lacks. A row each."""

from .._compiler.bridge import Plain
from .._compiler.builtin import Builtin

_cast, _reinterpret, _if_then_else, _abs, _and = (
    Builtin.table[name] for name in ("cast", "reinterpret", "if_then_else", "abs", "bitwise_and"))


def _byte(source, i):
    """Byte `i` of memory with elements of any width, as an int32."""
    size = source.dtype.bits // 8
    return (_cast(source[i // size], "int32") >> 8 * (i % size)) & 255


# ---- TileLang's decoders: element i of the result, as an integer. Weights are interleaved, so that one mask
# ---- selects the elements of both halves of a word (or of its four bytes).

def _in_halves(source, bits, i):
    """To float16: the halves of a word are elements i and i + 1 of a pair; each half has 4 elements."""
    shift = (i // 2) * bits + (i % 2) * 4 * bits
    return (_byte(source, shift // 8) >> (shift % 8)) & ((1 << bits) - 1)


def _in_bytes(source, bits, i):
    """To int8: byte k of word i holds an element at bit i * bits; a word holds the elements of 8 // bits words."""
    words = 8 // bits
    return (_byte(source, 4 * (i // 4 // words) + i % 4) >> bits * (i // 4 % words)) & ((1 << bits) - 1)


def _one_bit_in_bytes(source, bits, i):
    """A nibble for the four bytes of each word: nibbles 0, 2 and then 1, 3 of two bytes."""
    shift = 4 * (0, 2, 1, 3)[i % 4] + i // 4
    return (_byte(source, shift // 8) >> (shift % 8)) & 1


def _integer(source, read, bits, middle, i):
    value = read(source, bits, i)
    return 2 * value - 1 if bits == 1 and middle else value - middle


def _to_float16(bits, middle):
    def decode(source, out, N=8):
        for i in range(N):
            out[i] = _cast(_integer(source, _in_halves, bits, middle, i), "float16")

    return decode


def _to_float16_scale(bits, middle):
    def decode(source, out, scale, N=8):
        for i in range(N):
            out[i] = _cast(_integer(source, _in_halves, bits, middle, i), "float16") * _cast(scale[0], "float16")

    return decode


def _to_float16_zeros(bits, kind):
    def decode(source, out, scale, zeros, N=8):
        for i in range(N):
            factor = _cast(scale[0], "float16")
            value = _cast(_integer(source, _in_halves, bits, 0, i), "float16")
            if kind == "original":
                out[i] = (value - _cast(zeros[0], "float16")) * factor
            elif kind == "rescale" and bits == 2:  # two roundings
                out[i] = value * factor - _cast(zeros[0], "float16")
            elif kind == "rescale":
                sum = _cast(value, "float32") * _cast(factor, "float32") - _abs(_cast(zeros[0], "float32"))
                out[i] = _cast(sum, "float16")
            else:
                out[i] = (value - _cast(_byte(zeros, 0), "float16")) * factor

    return decode


def _to_int8(bits, middle):
    read = _one_bit_in_bytes if bits == 1 else _in_bytes

    def decode(source, out, N=16):
        for i in range(N):
            out[i] = _cast(_integer(source, read, bits, middle, i), "int8")

    return decode


def _fp4_to_bfloat16_twiddling(source, out, N=8):
    """Eight e2m1 of each big-endian word: sign, exponent and mantissa at bits 15, 8 and 6 of its halves, shifted by 0, 3
    and 6; the last pair from the bits between."""
    for n in range(N):
        word = _byte(source, 4 * n) << 24 | _byte(source, 4 * n + 1) << 16 | _byte(source, 4 * n + 2) << 8 | _byte(source, 4 * n + 3)
        for i in range(8):
            half = (word >> 16 if i < 4 else word) & 0xffff
            if i % 4 < 3:
                bits = (half << 3 * (i % 4)) & 0x81c0
            else:
                bits = (half << 1) & 0x8000 | (half >> 3) & 0x0180 | (half >> 7) & 0x0040
            small = _cast(_reinterpret(_cast(bits, "uint16"), "bfloat16"), "float32")
            out[8 * n + i] = _cast(small * 2.0**126, "bfloat16")


_DECODERS = {
    **{f"decode_i{bits}{sign}_to_f16": _to_float16(bits, middle if sign == "s" else 0)
       for bits, middle in ((4, 8), (2, 2), (1, 1)) for sign in "us"},
    **{f"decode_i{bits}{sign}_to_f16_scale": _to_float16_scale(bits, middle if sign == "s" else 0)
       for bits, middle in ((4, 8), (2, 2), (1, 1)) for sign in "us"},
    **{f"decode_i{bits}u_to_f16_scale_zeros_{kind}": _to_float16_zeros(bits, kind)
       for bits in (4, 2) for kind in ("original", "rescale", "quantized")},
    **{f"decode_i{bits}{sign}_to_i8s": _to_int8(bits, middle if sign == "s" else 0)
       for bits, middle in ((4, 7), (2, 2), (1, 1)) for sign in "us"},
    "decode_fp4_to_bf16_twiddling": _fp4_to_bfloat16_twiddling,
}


# ---- functions of CUDA

def _signed_byte(x, k):
    return (_cast(x, "int32") << (24 - 8 * k)) >> 24


def _unsigned_byte(x, k):
    return (_cast(x, "uint32") >> (8 * k)) & 255


def _dp4a(a, b, c):
    byte = _unsigned_byte if hasattr(a, "dtype") and a.dtype == "uint32" else _signed_byte
    sum = c
    for k in range(4):
        sum = sum + byte(a, k) * byte(b, k)
    return sum


def _byte_perm(x, y, selector):
    out = _cast(0, "uint32")
    for k in range(4):
        at = (_cast(selector, "uint32") >> (4 * k)) & 7
        word = _if_then_else(at < 4, _cast(x, "uint32"), _cast(y, "uint32"))
        out = out | ((word >> (8 * (at & 3))) & 255) << (8 * k)
    return out


def _of_bytes(operation):
    def run(x, y):
        out = _cast(0, "uint32")
        for k in range(4):
            out = out | (operation(_unsigned_byte(x, k), _unsigned_byte(y, k)) & 255) << (8 * k)
        return out

    return run


def _add(a, b):
    return a + b


def _subtract(a, b):
    return a - b


def _high_product(dtype, wide):
    def run(x, y):
        return _cast((_cast(x, wide) * _cast(y, wide)) >> 32, dtype)

    return run


def _funnel_left(low, high, shift):
    both = _cast(high, "uint64") << 32 | _cast(low, "uint64")
    return _cast((both << _cast(shift & 31, "uint64")) >> 32, "uint32")


def _funnel_right(low, high, shift):
    both = _cast(high, "uint64") << 32 | _cast(low, "uint64")
    return _cast(both >> _cast(shift & 31, "uint64"), "uint32")


def _reversed_bits(x):
    out = _cast(0, "uint32")
    for k in range(32):
        out = out | ((_cast(x, "uint32") >> k) & 1) << (31 - k)
    return out


def _first_set(x):
    return _if_then_else(x == 0, 0, 32 - Builtin.table["clz"](_cast(x & -x, "uint32")))


def _bits_as(dtype):
    def run(x):
        return _reinterpret(x, dtype)

    return run


def _converted(dtype):
    def run(x):
        return _cast(x, dtype)

    return run


def _directed(dtype, is_wrong):
    """Conversion to 16 bits in a direction: the nearest number, or its neighbour if that is on the wrong side. Bit patterns of one sign
    are ordered as the magnitudes."""
    def run(x):
        near = _cast(x, dtype)
        back, bits = _cast(near, "float32"), _reinterpret(near, "uint16")
        smaller = is_wrong(back, x)  # a condition for the neighbour nearer to 0, and one for the other
        moved = bits - _cast(smaller[0], "uint16") + _cast(smaller[1], "uint16")
        return _reinterpret(moved, dtype)

    return run


def _beyond(back, x):
    return _abs(back) > _abs(x), False


def _above(back, x):
    return _and(back > x, back > 0.0), _and(back > x, back <= 0.0)


def _below(back, x):
    return _and(back < x, back < 0.0), _and(back < x, back >= 0.0)


def _to_integer(rounding, dtype):
    def run(x):
        return _cast(rounding(x), dtype)

    return run


def _load(address):
    return address[0]


def _quotient(a, b):
    return a / b


def _saturated(x):
    return _if_then_else(x > 0.0, _if_then_else(x < 1.0, x, 1.0), 0.0)


_CUDA = {
    "__dp4a": _dp4a, "__byte_perm": _byte_perm, "__vadd4": _of_bytes(_add), "__vsub4": _of_bytes(_subtract),
    "__mulhi": _high_product("int32", "int64"), "__umulhi": _high_product("uint32", "uint64"),
    "__funnelshift_l": _funnel_left, "__funnelshift_r": _funnel_right, "__brev": _reversed_bits, "__ffs": _first_set,
    "__float_as_int": _bits_as("int32"), "__float_as_uint": _bits_as("uint32"), "__int_as_float": _bits_as("float32"),
    "__uint_as_float": _bits_as("float32"), "__half_as_ushort": _bits_as("uint16"), "__ushort_as_half": _bits_as("float16"),
    "__half2float": _converted("float32"), "__bfloat162float": _converted("float32"),
    "__float2half": _converted("float16"), "__float2half_rn": _converted("float16"),
    "__float2bfloat16": _converted("bfloat16"), "__float2bfloat16_rn": _converted("bfloat16"),
    "__ldg": _load, "__ldcg": _load, "__ldcs": _load, "__fdividef": _quotient, "__saturatef": _saturated,
}

_DIRECTIONS = {"rz": _beyond, "rd": _above, "ru": _below}
_CONVERSIONS = {
    **{f"__float2{short}_{mode}": _directed(dtype, is_wrong)
       for short, dtype in (("half", "float16"), ("bfloat16", "bfloat16")) for mode, is_wrong in _DIRECTIONS.items()},
    **{f"__{source}2{short}_{mode}": _to_integer(Builtin.table[rounding], dtype)
       for source in ("float", "half", "bfloat16") for short, dtype in (("int", "int32"), ("uint", "uint32"), ("ll", "int64"))
       for mode, rounding in (("rn", "nearbyint"), ("rz", "trunc"), ("rd", "floor"), ("ru", "ceil"))},
    **{f"__{source}2{short}_rn": _converted(dtype) for source in ("int", "uint", "ll")
       for short, dtype in (("float", "float32"), ("half", "float16"), ("bfloat16", "bfloat16"))},
}

MODELS = {name: Plain(function) for name, function in (_DECODERS | _CUDA | _CONVERSIONS).items()}
