# SPDX-License-Identifier: Apache-2.0
"""tl.inline_asm_elementwise of one arithmetic instruction of PTX. Approximate instructions are computed as accurately as tl's functions."""

import re

from .. import _semantics as semantics, _types
from .._errors import fail, unsupported
from .registry import TABLE, builtin

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_FUNCTIONS = {"tanh": "tanh", "sin": "sin", "cos": "cos", "ex2": "exp2", "lg2": "log2", "sqrt": "sqrt", "rsqrt": "rsqrt", "abs": "abs",
              "min": "minimum", "max": "maximum", "fma": "fma"}
_MODIFIERS = {"approx", "ftz", "rn", "full"}  # of the accuracy of the result
_TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
_INSTRUCTION = re.compile(r"\{?\s*(\w+(?:\.\w+)*)\s+\$0((?:\s*,\s*\$\d+)+)\s*;?\s*\}?\s*")


@builtin("inline_asm_elementwise")
def inline_asm(t, asm, constraints, args, dtype, is_pure, pack):
    """The result of one instruction for each element: $0 is the result, $1 and so on are the arguments."""
    name, operands = _parsed(t.as_static(asm, "the assembly"))
    values = [semantics.tensor(t.builder, one) for one in args]
    if max(operands) > len(values) or min(operands) < 1 or pack != 1:
        fail(f"`{asm.strip()}` has {len(values)} arguments and pack={pack}", "pass one argument for each operand, and pack=1")
    base, *modifiers, kind = name.split(".")
    if base == "mov" and not modifiers:
        return _of_dtype(t, values[operands[0] - 1], dtype)
    if kind not in _TYPES or not _MODIFIERS.issuperset(modifiers):
        _refused(name)
    element = _types.ALL[_TYPES[kind]]
    return _of_dtype(t, _computed(t, name, base, [_of_dtype(t, values[at - 1], element) for at in operands]), dtype)


def _computed(t, name, base, values):
    """The function of an instruction."""
    if base == "rcp" and len(values) == 1:
        return t.binary("/", 1.0, values[0])
    if base == "neg" and len(values) == 1:
        return semantics.unary(t.builder, "-", values[0])
    if base in _OPERATORS and len(values) == 2:
        return t.binary(_OPERATORS[base], *values)
    if base in _FUNCTIONS:
        return TABLE[_FUNCTIONS[base]].call(t, tuple(values), {})
    return _refused(name)


def _parsed(text):
    """(the instruction, the numbers of its operands)."""
    found = _INSTRUCTION.fullmatch(text.strip())
    if found is None:
        _refused(" ".join(text.split()))
    return found[1], [int(one) for one in re.findall(r"\d+", found[2])]


def _of_dtype(t, value, dtype):
    """A register as another dtype: the same bits."""
    if value.op.dtype.primitive_bitwidth != dtype.primitive_bitwidth:
        fail(f"a register of {value.op.dtype} is used as {dtype}", "both need the same number of bits")
    return semantics.bitcast(t.builder, value, dtype)


def _refused(text):
    text = text if len(text) < 60 else text[:60] + "..."
    unsupported(f"the assembly `{text}`", "write it with functions of tl; single instructions such as `tanh.approx.f32 $0, $1;` are supported")
