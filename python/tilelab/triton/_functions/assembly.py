# SPDX-License-Identifier: Apache-2.0
"""tl.inline_asm_elementwise: PTX without branches and memory, translated instruction by instruction. Approximate instructions are computed
as accurately as tl's functions; subnormals are kept.

The names follow the PTX ISA: `@p` makes an instruction conditional, `setp` sets a predicate, a type suffix says how bits are read.
"""

import re
import struct

from .. import _semantics as semantics, _types
from .._errors import fail, unsupported
from .._graph import Tensor
from .registry import TABLE, builtin

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"}
_FUNCTIONS = {"tanh": "tanh", "sin": "sin", "cos": "cos", "ex2": "exp2", "lg2": "log2", "sqrt": "sqrt", "rsqrt": "rsqrt", "abs": "abs",
              "min": "minimum", "max": "maximum", "fma": "fma"}
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
_ROUNDING = {"rni": "nearbyint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_NO_EFFECT = {"approx", "ftz", "rn", "full", "lo"}  # modifiers of accuracy, and the lower half of a product
_TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "pred": "int1",
          **{f"s{bits}": f"int{bits}" for bits in (16, 32, 64)},
          **{f"{letter}{bits}": f"uint{bits}" for bits in (16, 32, 64) for letter in "ub"}}
_STATEMENT = re.compile(r"(?:@(!?)(\w+)\s+)?([a-z]\w*(?:\.\w+)*)\s+([^{}\[\]|]+)")
_OPERAND = re.compile(r"\$?%?[A-Za-z_]\w*|\$\d+")


@builtin("inline_asm_elementwise")
def inline_asm(t, asm, constraints, args, dtype, is_pure, pack):
    """The value that PTX leaves in $0, for each element; the arguments are $1, $2 and so on."""
    text = t.as_static(asm, "the assembly")
    wanted = _types.as_dtype(dtype)
    if pack != 1 or wanted is None:
        unsupported(f"assembly with pack={pack} and dtype={dtype}", "let it compute one value of one element: pack=1")
    registers = {f"${at}": semantics.tensor(t.builder, one) for at, one in enumerate(args, 1)}
    for statement in filter(None, map(str.strip, re.split(r"[;{}]", text))):
        if not statement.startswith(".reg"):
            _Instruction(t, registers, statement).execute()
    if "$0" not in registers:
        fail(f"`{_short(text)}` does not set $0", "$0 is the result")
    return _of_dtype(t, registers["$0"], wanted)


class _Instruction:
    """One instruction, with the values of the registers before it."""

    def __init__(self, t, registers, text):
        self.t, self.registers, self.text = t, registers, text
        found = _STATEMENT.fullmatch(text)
        if found is None:
            self.refuse()
        self.inverted, self.predicate, name, operands = found.groups()
        self.base, *self.modifiers = name.split(".")
        self.target, *self.operands = (one.strip() for one in operands.split(","))

    def refuse(self):
        unsupported(f"the assembly `{_short(self.text)}`", "write it with functions of tl; PTX without branches and memory is supported")

    def execute(self):
        made = self.value()
        if self.predicate and self.target in self.registers:
            test = self.read(self.predicate, "pred")
            if self.inverted:
                test = semantics.unary(self.t.builder, "not", test)
            made = semantics.where(self.t.builder, test, made, _of_dtype(self.t, self.registers[self.target], made.op.dtype))
        self.registers[self.target] = made

    def value(self):
        """What the instruction computes."""
        if self.base == "cvt":
            return self.converted()
        kind, modifiers = self.modifiers[-1:], self.modifiers[:-1]
        if self.base == "setp" and len(modifiers) == 1 and modifiers[0] in _COMPARISONS and len(self.operands) == 2:
            return self.t.binary(_COMPARISONS[modifiers[0]], *self.typed(kind[0], self.operands))
        if not kind or kind[0] not in _TYPES or not _NO_EFFECT.issuperset(modifiers):
            self.refuse()
        if self.base == "selp" and len(self.operands) == 3:
            return semantics.where(self.t.builder, self.read(self.operands[2], "pred"), *self.typed(kind[0], self.operands[:2]))
        return self.computed(self.typed(kind[0], self.operands))

    def typed(self, kind, operands):
        return [self.read(one, kind) for one in operands]

    def read(self, operand, kind):
        """An operand: a register, whose bits are read as a type, or a number."""
        if kind not in _TYPES:
            self.refuse()
        dtype = _types.ALL[_TYPES[kind]]
        if _OPERAND.fullmatch(operand):
            if operand not in self.registers:
                fail(f"`{_short(self.text)}` reads {operand}, which has no value", "pass an argument for each operand")
            return _of_dtype(self.t, self.registers[operand], dtype)
        return semantics.tensor(self.t.builder, self.number(operand), dtype)

    def number(self, text):
        try:
            if text[:2].lower() in ("0f", "0d"):
                return struct.unpack(">f" if len(text) == 10 else ">d", bytes.fromhex(text[2:]))[0]
            return float(text) if "." in text or "e" in text.lower() and not text.startswith("0x") else int(text.rstrip("U"), 0)
        except (ValueError, struct.error):
            return self.refuse()

    def computed(self, values):
        """The function of an instruction whose operands and result have one type."""
        t, count = self.t, len(values)
        if self.base == "mov" and count == 1:
            return values[0]
        if self.base == "rcp" and count == 1:
            return t.binary("/", 1.0, values[0])
        if self.base in ("neg", "not") and count == 1:
            return semantics.unary(t.builder, "-" if self.base == "neg" else "~", values[0])
        if self.base in _OPERATORS and count == 2 and (values[0].op.dtype.is_floating() or self.base != "div"):
            return t.binary(_OPERATORS[self.base], *values)
        if self.base in _FUNCTIONS:
            return TABLE[_FUNCTIONS[self.base]].call(t, tuple(values), {})
        return self.refuse()

    def converted(self):
        """cvt: from the last type to the one before it; to an integer by the rounding that a modifier names."""
        *modifiers, after, before = self.modifiers
        if len(self.operands) != 1 or after not in _TYPES or not (_NO_EFFECT | set(_ROUNDING)).issuperset(modifiers):
            self.refuse()
        value, dtype = self.read(self.operands[0], before), _types.ALL[_TYPES[after]]
        for one in modifiers:
            if one in _ROUNDING:
                value = semantics.math_call(self.t.builder, _ROUNDING[one], [value])
        return semantics.cast(self.t.builder, value, dtype)


def _of_dtype(t, value, dtype):
    """A register read as another dtype: the same bits."""
    if value.op.dtype.primitive_bitwidth != dtype.primitive_bitwidth:
        fail(f"a register of {value.op.dtype} is used as {dtype}", "both need the same number of bits")
    if value.op.kind == "const" and value.op.dtype != dtype:
        return Tensor(t.builder.op("bitcast", [value.op], value.shape, dtype))
    return semantics.bitcast(t.builder, value, dtype)


def _short(text):
    text = " ".join(text.split())
    return text if len(text) < 60 else text[:60] + "..."
