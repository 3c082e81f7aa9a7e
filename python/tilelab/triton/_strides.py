# SPDX-License-Identifier: Apache-2.0
"""How far apart neighbouring elements of a block of offsets are, along one dimension."""


def step_along(op, axis):
    """The constant difference of neighbours along a dimension; None if it is not known."""
    if not op.shape or op.shape[axis] == 1:
        return 0
    if op.kind == "arange":
        return 1
    if op.kind in ("cast", "remap"):
        source = axis if op.kind == "cast" else _source_axis(op, axis)
        return None if source is None else step_along(op.args[0], source)
    if op.kind == "binary":
        return _of_binary(op, axis)
    return 0 if all(_operand(arg, op, axis) == 0 for arg in op.args) else None


def _operand(arg, op, axis):
    """The step of an operand that is broadcast from the right."""
    place = axis - (len(op.shape) - len(arg.shape))
    return 0 if place < 0 else step_along(arg, place)


def _of_binary(op, axis):
    name = op.attrs["name"]
    a, b = (_operand(arg, op, axis) for arg in op.args)
    if name == "%" and b == 0:
        return a  # but where the remainder begins again
    if None in (a, b):
        return None
    if name in ("+", "-"):
        return a + b if name == "+" else a - b
    if name == "*":
        for step, other_step, other in ((a, b, op.args[1]), (b, a, op.args[0])):
            if step == 0 == other_step:
                return 0
            if other_step == 0 and other.kind == "const":
                return step * other.attrs["value"]
        return None
    return 0 if a == 0 == b else None


def _source_axis(op, axis):
    """The dimension of a remap's operand along which its elements are neighbours too; None if there is none."""
    source, how = op.args[0].shape, op.attrs["how"]
    if how == "broadcast":
        return max(0, axis - (len(op.shape) - len(source))) if source and axis >= len(op.shape) - len(source) else None
    if how == "permute":
        return op.attrs["order"][axis]
    if how != "reshape":
        return None
    mine, theirs = ([i for i, e in enumerate(shape) if e != 1] for shape in (op.shape, source))
    return theirs[mine.index(axis)] if [op.shape[i] for i in mine] == [source[i] for i in theirs] else None


def is_column_major(load):
    """Whether neighbours of a two-dimensional load in memory are those along its first dimension."""
    return len(load.shape) == 2 and step_along(load.args[0], 0) == 1 and step_along(load.args[0], 1) != 1
