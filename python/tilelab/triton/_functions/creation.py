# SPDX-License-Identifier: Apache-2.0
"""Blocks from nothing, launch indices, and static values."""

from .. import _semantics as semantics, _types
from .._errors import fail
from .._graph import Tensor
from .._types import int32
from .registry import Range, builtin, shape_of


@builtin()
def program_id(t, axis=0):
    """The index of this program along a dimension of the grid."""
    return _launch_index(t, "program_id", axis, "pid")


@builtin()
def num_programs(t, axis=0):
    """The number of programs along a dimension of the grid."""
    return _launch_index(t, "num_programs", axis, None)


def _launch_index(t, kind, axis, name):
    axis = t.as_static(axis, "a dimension of the grid")
    if axis not in (0, 1, 2):
        fail(f"dimension {axis} of the grid", "a grid has the dimensions 0, 1 and 2")
    return Tensor(t.builder.op(kind, dtype=int32, axis=axis))


@builtin()
def arange(t, start, end):
    """The integers from start to end - 1."""
    start, end = t.as_static(start, "the start of tl.arange"), t.as_static(end, "the end of tl.arange")
    if not isinstance(start, int) or not isinstance(end, int) or end <= start:
        fail(f"tl.arange({start}, {end})", "start and end are integers, and end is larger")
    return Tensor(t.builder.op("arange", shape=(end - start,), dtype=int32, start=start, end=end))


@builtin()
def full(t, shape, value, dtype):
    """A block whose elements are all `value`."""
    return semantics.full(t.builder, shape_of(t, shape), value, _types.as_dtype(dtype))


@builtin()
def zeros(t, shape, dtype):
    """A block of zeros."""
    return semantics.full(t.builder, shape_of(t, shape), 0, _types.as_dtype(dtype))


@builtin()
def zeros_like(t, input):
    """A block of zeros with the shape and dtype of another one."""
    return semantics.full(t.builder, input.shape, 0, input.op.dtype)


def _bounds(first, second, step):
    if second is None:
        return (first,) if step is None else (0, first, step)
    return (first, second) if step is None else (first, second, step)


@builtin("range")
def dynamic_range(t, arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False,
                  flatten=False, warp_specialize=False, disable_licm=False):
    """A range of a for statement. num_stages: copies of later iterations overlap the computation."""
    stages = None if num_stages is None else t.as_static(num_stages, "num_stages")
    return Range(_bounds(arg1, arg2, step), options={} if stages is None else {"num_stages": stages})


@builtin("static_range")
def unrolled_range(t, arg1, arg2=None, step=None):
    """A range of a for statement that is unrolled."""
    return Range(_bounds(arg1, arg2, step), static=True)


@builtin()
def condition(t, arg0, disable_licm=False):
    """The condition of a while loop."""
    return arg0


@builtin("tuple")
def tuple_of(t, values=()):
    """A tuple."""
    return tuple(values)


@builtin()
def static_assert(t, cond, msg=""):
    """Rejects the kernel if a compile-time condition is false."""
    if not t.as_static(cond, "the condition of tl.static_assert"):
        fail(f"tl.static_assert: {msg}" if msg else "tl.static_assert is false", "change the compile-time arguments")


@builtin()
def static_print(t, *values, sep=" ", end="\n", file=None, flush=False):
    """Prints when the kernel is compiled."""
    print(*values, sep=sep, end=end)


@builtin("constexpr")
def constexpr_value(t, value):
    """A compile-time value."""
    return t.as_static(value)


@builtin(method=False)
def to_tensor(t, x):
    """A number as a scalar tensor; a tensor as it is."""
    return semantics.tensor(t.builder, x)


@builtin(host=lambda a, b: -(-a // b), method=True)
def cdiv(t, x, div):
    """x / div, rounded up."""
    if not isinstance(x, Tensor) and not isinstance(div, Tensor):
        return -(-x // div)
    b = t.builder
    return semantics.binary(b, "//", semantics.binary(b, "+", x, semantics.binary(b, "-", div, 1) if isinstance(div, Tensor) else div - 1),
                            div)


def _next_power_of_2(n):
    return 1 << max(0, int(n) - 1).bit_length()


@builtin(host=_next_power_of_2)
def next_power_of_2(t, n):
    """The smallest power of 2 that is not smaller."""
    return _next_power_of_2(t.as_static(n, "the argument of next_power_of_2"))


@builtin("multiple_of max_contiguous max_constancy", method=True)
def hint(t, input, values):
    """States a property of the values; tilelab finds them itself, so this returns the input."""
    return input


@builtin()
def assume(t, cond):
    """States that a condition is true: the simulator checks it."""
    if isinstance(cond, Tensor):
        op = semantics.condition(t.builder, cond).op
        t.builder.op("assume", [op])
        bound = op.args[1].attrs.get("value", -1) if op.kind == "binary" and op.attrs["name"] in (">=", ">") else -1
        if bound >= 0:
            op.args[0].attrs["not_negative"] = True


@builtin("debug_barrier")
def barrier(t):
    """Barrier of the program."""
    t.builder.op("barrier")


@builtin()
def device_assert(t, cond, msg="", mask=None):
    """Stops the program where a condition is false."""
    cond = semantics.condition(t.builder, cond)
    if mask is not None:
        cond = semantics.logical(t.builder, "or", cond, semantics.unary(t.builder, "not", semantics.condition(t.builder, mask)))
    t.builder.op("assert", [cond.op], message=str(msg))


@builtin("device_print")
def device_print(t, prefix, *args, hex=False):
    """Shows values after the run."""
    values = [semantics.tensor(t.builder, one) for one in args]
    if isinstance(prefix, Tensor):
        values, prefix = [prefix, *values], ""
    for one in values:
        t.builder.op("print", [one.op], message=str(prefix))
