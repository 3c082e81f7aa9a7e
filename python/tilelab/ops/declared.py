# SPDX-License-Identifier: Apache-2.0
"""What the tensors of an operator must be: shapes and dtypes, which the operator declares as text and every call is checked against.

    arguments="weight[N, K]; x[..., K]; bias[N]"
    arguments="a[M, K]; b[N, K / 2]: uint8; scale[N, K / group]: float32"
    arguments="q[batch, heads, queries, dim]; k[batch, kv_heads, keys, dim]; where heads % kv_heads == 0"

A name is an extent: the first tensor that has it binds it, later ones must agree, so that tensors come first whose shapes are more likely
right. Names of the operator's numbers (group) are these numbers; a condition on one that is None holds. `...` is any number of extents, the
same for all tensors, and `rows` their product. Without a dtype a tensor has the dtype of the first one, of floats; `like x` is that of x,
`wide` that of sums of such numbers."""

import functools
import inspect
import math
import numbers
import re
import sys

from .._compiler import dtypes
from .._compiler.errors import ArgumentError, UsageError
from .._compiler.messages import message
from . import arrays

_NAME = re.compile(r"[A-Za-z_]\w*")
_TENSOR = re.compile(r"(\w+)((?:\[.*?\](?: or )?)*)(?:: (.+))?")
_INTEGERS = ("int8", "uint8", "int16", "int32", "int64")
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_WORDS = {"same": "the dtype of others", "wide": "float32 (float64 beside float64)", "int": "integers"}


class Tensor:
    """The declaration of one tensor: alternative shapes, each a list of texts, and the names of dtypes."""

    def __init__(self, text):
        match = _TENSOR.fullmatch(text)
        self.name, self.words = match[1], tuple((match[3] or "same").split(" or "))
        self.shapes = tuple(tuple(filter(None, one.strip("[]").split(", "))) for one in match[2].split(" or ") if one)
        self.shown = " or ".join(f"({', '.join(shape)}{',' * (len(shape) == 1 and shape != ('...',))})" for shape in self.shapes)
        shown = [_shown_word(word) for word in self.words if word != "float32" or "wide" not in self.words]  # `wide` names it, too
        self.dtypes = "" if self.words in (("same",), ("any",)) else f" of {' or '.join(shown)}"

    def bind(self, shape, extents):
        """`extents` with those of this shape; None unless the shape agrees with an alternative, where there are any."""
        if not self.shapes:
            return extents
        return next((bound for one in self.shapes if (bound := _bound(one, shape, dict(extents))) is not None), None)

    def known(self, extents):
        """" with K = 16" for the names in the shapes that have a value."""
        names = dict.fromkeys(re.findall(r"[A-Za-z_]\w*|\.\.\.", self.shown))
        listed = [f"{name} = {extents[name]}" for name in names if name in extents]
        return f" with {', '.join(listed)}" if listed else ""


def _shown_word(word):
    return f"the dtype of {word[5:]}" if word.startswith("like ") else _WORDS.get(word, word)


def _bound(wanted, shape, extents):
    """`extents` with those that bind the texts of a shape to its extents; None where they differ."""
    shape = tuple(shape)
    if "..." in wanted:
        at, more = wanted.index("..."), len(shape) - len(wanted) + 1
        if more < 0 or extents.setdefault("...", shape[at:at + more]) != shape[at:at + more]:
            return None
        extents["rows"] = math.prod(extents["..."])
        wanted, shape = wanted[:at] + wanted[at + 1:], shape[:at] + shape[at + more:]
    if len(wanted) != len(shape):
        return None
    for text, extent in zip(wanted, shape):
        if text.isidentifier() and text not in extents:
            extents[text] = extent
        elif value(text, extents) != extent:
            return None
    return extents


@functools.cache
def _compiled(text):
    return compile(text, "<declaration>", "eval")


def value(text, extents):
    """The value of an expression of extents; None where it divides by 0."""
    try:
        return eval(_compiled(text), {"ceil": math.ceil}, extents)  # the text of a declaration, never of a user
    except ZeroDivisionError:
        return None


def names_of(arguments):
    """The names in a declaration; of a function that returns one, its parameters."""
    return _NAME.findall(arguments) if isinstance(arguments, str) else () if arguments is None else inspect.signature(arguments).parameters


def key_function(kinds, arguments):
    """The function of the values of a call that returns all that decides whether they are as declared: shapes, dtypes, numbers in the
    declaration. A condition on numbers alone counts by its truth: a step differs in every call. The function is made of text, since every
    call of an operator runs it: `lambda v: (v[0].shape, v[0].dtype, v[2], v[3] >= 1)`."""
    names, optional = list(kinds), [kind[-1] == "?" for kind in kinds.values()]
    tensors = [i for i, kind in enumerate(kinds.values()) if kind[:6] == "Tensor"]
    numbers = set(names) - {names[i] for i in tensors}
    parts = [f"v[{i}]{' is not None and v[%d]' % i if optional[i] else ''}.{what}" for i in tensors for what in ("shape", "dtype")]
    clauses = [part.strip() for part in arguments.split(";")] if isinstance(arguments, str) else []
    alone = [clause for clause in clauses if clause.startswith("where ") and set(_NAME.findall(clause)[1:]) <= numbers]
    others = _NAME.findall(" ".join(clause for clause in clauses if clause not in alone)) if clauses else names_of(arguments)
    parts += [f"v[{names.index(name)}]" for name in names if name in numbers and name in others]
    for clause in alone:
        absent = "".join(f"v[{i}] is None or " for i, name in enumerate(names) if optional[i] and name in _NAME.findall(clause))
        parts.append(absent + _NAME.sub(lambda name: f"v[{names.index(name[0])}]", clause.removeprefix("where ")))
    return eval(f"lambda v: ({''.join(f'{part}, ' for part in parts)})")


class Declaration:
    """The parsed text of `arguments`."""

    def __init__(self, text):
        parts = [part.strip() for part in text.split(";")]
        self.conditions = [part.removeprefix("where ") for part in parts if part.startswith("where ")]
        self.tensors = [Tensor(part) for part in parts if not part.startswith("where ")]
        self.shown = ", ".join(f"{one.name} {one.shown}".rstrip() + one.dtypes for one in self.tensors)

    def check(self, operator, given):
        """Raises ArgumentError unless the tensors among the arguments by name are as declared."""
        extents = {name: one for name, one in given.items() if isinstance(one, (numbers.Number, str))}
        present = [(one, given[one.name]) for one in self.tensors if given[one.name] is not None]
        first = next((x for one, x in present if one.words == ("same",)), None)
        for one, x in present:
            self._check_dtype(operator, one, x, first, given)
        for one, x in present:
            bound = one.bind(x.shape, extents)
            if bound is None:
                refuse(operator, one.name, f"a tensor {one.shown}{one.known(extents)}", f"one of shape {tuple(x.shape)}", self.shown)
            extents = bound
        for condition in self.conditions:
            names = [name for name in dict.fromkeys(_NAME.findall(condition)) if name in given or name in extents]
            if not any(given.get(name, 0) is None for name in names) and not value(condition, extents):
                if len(names) == 1 and names[0] in given:
                    refuse(operator, names[0], condition, str(extents[names[0]]), help=f"pass a number for which {condition}")
                known = ", ".join(f"{name} = {extents[name]}" for name in names)
                arrays.refuse_shape(f"{operator.__name__} needs {condition}, but {known}", f"pass {self.shown}")

    def _check_dtype(self, operator, one, x, first, given):
        dtype = name_of(x)
        wanted = [name for word in one.words for name in _dtypes_of(word, first, given)]
        if "same" in one.words and "float" not in dtype:
            refuse(operator, one.name, "a tensor of floats", f"one of {dtype}", self.shown)
        if dtype not in wanted and (wanted != ["any"] or arrays.dtype_of(x) is None):
            refuse(operator, one.name, f"a tensor of {' or '.join(dict.fromkeys(wanted))}".replace("any", "real numbers"), f"one of {dtype}", self.shown)


def _dtypes_of(word, first, given):
    """The names of dtypes for a word of a declaration; `first`: the first tensor of floats."""
    if word in ("same", "wide"):
        return [name_of(first) if word == "same" else arrays.wide(name_of(first))]
    return _INTEGERS if word == "int" else [name_of(given[word[5:]]) if word.startswith("like ") else word]


def name_of(x):
    """The name of a tensor's dtype, also of one that the language does not have."""
    return arrays.dtype_of(x) or str(x.dtype).rpartition(".")[2]


def check_layouts(operator, given):
    """Raises ArgumentError unless the memory of all tensors of torch holds their elements, as kernels need it."""
    for name, x in given.items():
        if not arrays.is_torch(x) or not hasattr(x, "layout"):
            continue
        kind = ("nested" if x.is_nested else "sparse" if str(x.layout) != "torch.strided" else "quantized" if x.is_quantized
                else "negated" if x.is_neg() else "conjugated" if x.is_conj() else None)
        if kind is not None:
            help = {"nested": "torch.nested.to_padded_tensor({}, 0.0)", "sparse": "{}.to_dense()", "quantized": "{}.dequantize()"}
            refuse(operator, name, "a dense tensor", f"a {kind} one", help=f"convert it: {help.get(kind, '{}.clone()').format(name)}")


def check_devices(operator, given):
    """Raises ArgumentError unless all tensors of torch are on one device; the first declared one is taken for right."""
    order = names_of(operator.arguments) if isinstance(operator.arguments, str) else ()
    places = {name: given[name].device for name in (*order, *given) if name in given and arrays.is_torch(given[name])}
    for name, place in places.items():
        first = next(iter(places))
        if place != places[first]:
            refuse(operator, name, f"a tensor on the device of {first}, {places[first]},", f"one on {place}", help=f"move it: {name}.to({first}.device)")


def refuse(operator, name, wanted, got, shown=None, help=None):
    """Raises ArgumentError for an argument, of the layer or optimizer of tilelab.nn that calls the operator."""
    who = caller() or f"operator {operator.__name__}"
    raise ArgumentError(message("operator-argument", who, name, wanted, got, help=help or f"pass {shown}"))


def caller():
    """"layer Linear" or "optimizer AdamW" for the layer or optimizer of tilelab.nn that calls an operator; None for other callers."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(__package__):
        frame = frame.f_back
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_LAYERS):
        kind = _CALLERS.get(frame.f_code.co_name)
        if kind and "self" in frame.f_locals:
            return f"{kind} {type(frame.f_locals['self']).__name__}"
        frame = frame.f_back
    return None


_LAYERS = f"{__package__.rpartition('.')[0]}.nn"
_CALLERS = {"forward": "layer", "step_group": "optimizer"}  # by the method that calls


def explained(operator, values, error):
    """The ArgumentError for what a call caused inside of the operator: a shape or dtype that one of its kernels or of torch's functions
    does not support. None for other errors."""
    lines = str(error).strip().split("\n")
    text = next((line for line in lines if line.startswith("error")), lines[0])  # of a kernel's messages, not its warnings
    dtype = dict(zip(operator.names, values)).get("dtype")
    if isinstance(error, UsageError):
        return None
    if isinstance(dtype, str) and dtype not in _FLOATS:
        refuse(operator, "dtype", "the name of a dtype of floats", repr(dtype), help=f"pass one of {', '.join(_FLOATS)}")
    if isinstance(error, ZeroDivisionError):
        text = "an extent is 0"
    if isinstance(error, ArgumentError):
        kind, _, problem = text.partition(": ")
        if "argument-" not in kind or "operator-" in kind:
            return None
        text = problem.partition(", ")[2] or problem
    elif type(error) is RuntimeError and not re.search(r"\b(shape|size|dimension|dtype)", text):
        return None
    shapes = ", ".join(f"{name} {tuple(x.shape)} of {name_of(x)}" for name, x in zip(operator.names, values) if hasattr(x, "shape"))
    return ArgumentError(message("operator-shape", f"{operator.__name__} of {shapes}: {text}",
                                 help=f"call it as {operator.__name__}{operator.shown_signature()}"))
