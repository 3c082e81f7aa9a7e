# SPDX-License-Identifier: Apache-2.0
"""Loops of a kernel: which names they carry, loop-invariant code, and induction variables in closed form."""

import ast

from . import _pointers as pointers, _semantics as semantics
from ._errors import MovingBase, fail
from ._graph import PURE, Tensor
from ._types import int32, int64, unwrapped
from ._values import is_not_negative


def assigned(statements):
    """Names that statements assign, in order."""
    out = {}
    for one in statements:
        todo = [one]
        for node in todo:  # breadth first, as ast.walk, in a third of its time
            if type(node) is ast.Name:
                if type(node.ctx) is not ast.Load:
                    out[node.id] = True
                continue
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    todo += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST):
                    todo.append(value)
    return list(out)


class Carried:
    """Values of names that a loop assigns, as a flat list: tuples become their items."""

    def __init__(self, translator, statements):
        self.translator, self.builder = translator, translator.builder
        names = translator.frame.names
        self.names = [name for name in assigned(statements) if name in names and self._can_change(names[name])]
        self.before = {name: names[name] for name in self.names}

    def _can_change(self, value):
        if hasattr(value, "parts"):  # a block pointer
            return self._can_change(value.parts())
        if isinstance(value, tuple):
            return bool(value) and all(map(self._can_change, value))
        return isinstance(value, (Tensor, int, float))

    def _flat(self, value, name=None):
        if hasattr(value, "parts"):
            value = (value.base, *value.parts()) if name in self.translator.moving else value.parts()
        if isinstance(value, tuple):
            return [one for item in value for one in self._flat(item, name)]
        if tensors := self._tensors(name, value):
            index, by_element = pointers.index_of(self.builder, value), self.translator.moving[name].by_element
            missing = {base.name for base in pointers.bases_of(value)} - tensors
            if missing or index.shape and not by_element:
                raise MovingBase(name, missing, bool(index.shape))
            return [Tensor(value.op), semantics.broadcast_to(self.builder, index, value.shape) if by_element else index]
        return [semantics.tensor(self.builder, value)]

    def _tensors(self, name, value):
        """The names of the arguments into which a carried pointer may point, if there are several."""
        return name in self.translator.moving and pointers.is_pointer(value) and self.translator.moving[name].tensors

    def _shaped(self, value, parts, name=None):
        if hasattr(value, "parts"):
            base = self._shaped(value.base, parts, name) if name in self.translator.moving else None
            return value.with_parts(self._shaped(value.parts(), parts, name), base)
        if isinstance(value, tuple):
            return tuple(self._shaped(item, parts, name) for item in value)
        if tensors := self._tensors(name, value):
            offset, index = next(parts), next(parts)
            return Tensor(offset.op, pointers.Choice([self.builder.memories.arguments[one] for one in sorted(tensors)], index.op))
        return next(parts)

    def initial(self):
        """The values before the loop, as tensors."""
        return [one for name in self.names for one in self._flat(self.before[name], name)]

    def begin(self, region, initial):
        """Binds the names to the values that an iteration begins with."""
        parts, given = iter(initial), self.translator.frame.names
        for name in self.names:
            made = []
            for _ in self._flat(self.before[name], name):
                one = next(parts)
                made.append(Tensor(self.builder.carried(region, one.shape, one.op.dtype, name), one.base))
            given[name] = self._shaped(self.before[name], iter(made), name)

    def end(self, region, initial):
        """The values with which an iteration ends are what the region yields."""
        parts = iter(initial)
        for name in self.names:
            value = self.translator.frame.names.get(name)
            self._check_block(name, value)
            made = self._flat(value, name) if value is not None else []
            wanted = [next(parts) for _ in self._flat(self.before[name], name)]
            if len(made) != len(wanted):
                fail(f"the loop changes the type of `{name}`", "use another name for the new value")
            for one, first in zip(made, wanted):
                region.yields.append(self._of_type(name, one, first).op)

    def _check_block(self, name, value):
        """A block pointer or descriptor describes the same tensor after an iteration, perhaps from another place."""
        before = self.before[name]
        if not hasattr(before, "parts") or type(value) is not type(before):
            return
        known = [[one.op if isinstance(one, Tensor) else unwrapped(one) for one in (*block.shape, *block.strides)] for block in (value, before)]
        if known[0] != known[1]:
            fail(f"the loop makes `{name}` describe a tensor of another shape", "use another name for the new one")
        if not value.has_tile_of(before):
            fail(f"the loop changes the tile of `{name}`", "use another name for the new block pointer or descriptor")
        if (value.base.base, value.base.op) != (before.base.base, before.base.op) and name not in self.translator.moving:
            raise MovingBase(name)

    def _of_type(self, name, one, first):
        if one.base is not first.base:
            if not pointers.can_choose(one, first):
                fail(f"the loop makes `{name}` a pointer to another dtype", "use another name for the new pointer")
            raise MovingBase(name, {base.name for side in (one, first) for base in pointers.bases_of(side)})
        if one.shape != first.shape and one.shape == () and one.op.dtype == first.op.dtype:
            one = semantics.broadcast_to(self.builder, one, first.shape)
        if one.shape != first.shape:
            fail(f"`{name}` has the shape {list(first.shape)} before the loop and {list(one.shape)} after an iteration",
                 "give it one shape, or use another name")
        if one.op.dtype != first.op.dtype:
            if one.op.kind == "const" or first.op.kind == "const" and first.shape == ():
                return semantics.cast(self.builder, one, first.op.dtype)
            fail(f"`{name}` is {first.op.dtype} before the loop and {one.op.dtype} after an iteration",
                 f"convert it: {name} = ....to(tl.{first.op.dtype.long_name})")
        return one

    def finish(self, owner, initial):
        """Binds the names to the values after the loop."""
        index, frame = 0, self.translator.frame
        for name in self.names:
            made = []
            for _ in self._flat(self.before[name], name):
                one = initial[index]
                made.append(Tensor(self.builder.result(owner, index, one.shape, one.op.dtype, name), one.base))
                index += 1
            frame.names[name] = self._shaped(self.before[name], iter(made), name)


def for_loop(translator, node, bounds, options):
    """A loop over a range whose bounds may be dynamic. Its counter counts iterations from 0."""
    builder = translator.builder
    low, high, step = _bounds(builder, bounds)
    count = _count(builder, low, high, step)
    carried = Carried(translator, node.body)
    initial = carried.initial()
    outer = dict(translator.frame.names)
    region = builder.open()
    counter = builder.op("counter", dtype=low.op.dtype)
    carried.begin(region, initial)
    index = semantics.binary(builder, "+", low, semantics.binary(builder, "*", Tensor(counter), step))
    translator.frame.loops += 1
    translator.bind(node.target, index)
    if isinstance(node.target, ast.Name) and index.op is counter:
        counter.name = node.target.id
    translator.block(node.body)
    carried.end(region, initial)
    translator.frame.loops -= 1
    builder.close()
    translator.mark(node)
    owner = builder.op("for", [count.op, *(one.op for one in initial)], options=options)
    owner.regions, region.owner = [region], owner
    _restore(translator, outer, carried)
    carried.finish(owner, initial)
    hoist(region)
    _closed_forms(builder, owner)


def _restore(translator, outer, carried):
    """Names that were bound first in the loop end with it."""
    names = translator.frame.names
    for name in [n for n in names if n not in outer]:
        del names[name]
        translator.frame.lost[name] = "is assigned in a loop only"
    for name, value in outer.items():
        if name not in carried.names:
            names[name] = value


def _bounds(builder, bounds):
    made = [semantics.tensor(builder, one) for one in bounds]
    for one in made:
        if one.shape != () or one.op.dtype.is_floating():
            fail("a bound of a loop is not an integer", "range takes scalar integers")
    wide = any(one.op.dtype.primitive_bitwidth > 32 for one in made)
    return [semantics.cast(builder, one, int64 if wide else int32) for one in made]


def _count(builder, low, high, step):
    """The number of iterations, at least 0."""
    length = semantics.binary(builder, "-", high, low)
    fixed = step.op.attrs["value"] if step.op.kind == "const" else None
    if fixed == 1:
        count = length
    elif fixed is not None and fixed > 0 and length.op.kind == "const":
        count = semantics.tensor(builder, -(-length.op.attrs["value"] // fixed), length.op.dtype)
    else:
        sign = -1 if fixed is not None and fixed < 0 else 1
        if fixed is None and not is_not_negative(step.op):
            sign = semantics.where(builder, semantics.binary(builder, ">", step, 0), 1, -1)
        rounded = semantics.binary(builder, "-", semantics.binary(builder, "+", length, step), sign)
        count = Tensor(builder.op("binary", [rounded.op, step.op], (), length.op.dtype, name="floor"))
    return count


def while_loop(translator, node):
    """A loop whose condition is evaluated before each iteration."""
    builder = translator.builder
    carried = Carried(translator, [node])
    initial = carried.initial()
    outer = dict(translator.frame.names)
    before = builder.open()
    carried.begin(before, initial)
    test = translator.value(node.test)
    if not isinstance(test, Tensor):
        test = semantics.tensor(builder, bool(test))
    if test.op.size > 1:
        fail(f"the condition of a while loop has the shape {list(test.shape)}", "reduce it to one value, as in tl.max(x) > 0")
    before.yields.append(semantics.condition(builder, semantics.reshape(builder, test, ())).op)
    region = builder.open()
    translator.frame.loops += 1
    translator.block(node.body)
    carried.end(region, initial)
    translator.frame.loops -= 1
    builder.close()
    builder.close()
    translator.mark(node)
    owner = builder.op("while", [one.op for one in initial])
    owner.regions = [before, region]
    before.owner = region.owner = owner
    _restore(translator, outer, carried)
    carried.finish(owner, initial)


# --- loop-invariant code and induction variables ----------------------------------------------------------------------

def hoist(region):
    """Moves pure operations whose operands are defined outside a loop to the region around it."""
    outside = region.parent
    kept = []
    owner = region.owner
    at = outside.ops.index(owner)
    for op in region.ops:
        if op.kind in PURE and not any(arg.region.inside(region) for arg in op.args):
            op.region = outside
            outside.ops.insert(at, op)
            at += 1
        else:
            kept.append(op)
    region.ops[:] = kept


def _invariant_steps(value, start, region):
    """The operations by which `value` is `start` plus loop-invariant integers; None if it is something else."""
    if value is start:
        return []
    if value.kind != "binary" or value.attrs["name"] not in ("+", "-") or value.dtype.is_floating():
        return None
    left, right = value.args
    if value.attrs["name"] == "+" and not left.region.inside(region):
        left, right = right, left
    if right.region.inside(region) or left.shape != value.shape:
        return None
    inner = _invariant_steps(left, start, region)
    return None if inner is None else [*inner, (value.attrs["name"], right)]


def _closed_forms(builder, owner):
    """Replaces carried integers that grow by a loop-invariant amount by their value in iteration k, and after the loop."""
    region = owner.regions[0]
    changed = False
    counter = next(op for op in region.ops if op.kind == "counter")
    for at, value in enumerate(region.carried):
        steps = None if value.dtype.is_floating() else _invariant_steps(region.yields[at], value, region)
        if steps is None:
            continue
        changed = True
        builder.place = value.place
        init = Tensor(owner.args[1 + at])
        total = _sum(builder, steps, owner, value.dtype)
        now = _within(builder, region, lambda: _after(builder, init, Tensor(counter), total, value.dtype))
        _replace(region, value, now.op)
        end = _within(builder, region.parent, lambda: _after(builder, init, _at_least_0(builder, owner.args[0]), total, value.dtype))
        for op in region.parent.ops:
            if op.kind == "result" and op.args[0] is owner and op.attrs["index"] == at:
                op.kind, op.args, op.attrs = "same", [end.op], {}
    if changed:
        sort(region)
        sort(region.parent)


def _sum(builder, steps, owner, dtype):
    """The sum of the steps of one iteration, computed before the loop."""
    def make():
        total = semantics.tensor(builder, 0, dtype)
        for name, one in steps:
            total = semantics.binary(builder, name, total, semantics.cast(builder, Tensor(one), dtype))
        return total

    return _within(builder, owner.region, make)


def _after(builder, init, count, step, dtype):
    moved = semantics.binary(builder, "*", semantics.cast(builder, count, dtype), step)
    return semantics.binary(builder, "+", init, moved)


def _at_least_0(builder, count):
    if count.kind == "const":
        return semantics.tensor(builder, max(0, count.attrs["value"]), count.dtype)
    return semantics.where(builder, semantics.binary(builder, ">", Tensor(count), 0), Tensor(count), 0)


def _within(builder, region, make):
    """Adds operations to a region that may be closed."""
    outer, builder.region = builder.region, region
    made = make()
    builder.region = outer
    return made


def _replace(region, old, new):
    """Uses `new` for `old` in a region and the regions inside it."""
    for op in region.ops:
        if op is not new:
            op.args = [new if arg is old else arg for arg in op.args]
        for inner in op.regions:
            _replace(inner, old, new)
    region.yields[:] = [new if one is old else one for one in region.yields]


def sort(region):
    """Moves pure operations before the operations that use them; the others keep their order."""
    done, out = set(), []

    def place(op):
        if op in done or op.region is not region:
            return
        done.add(op)
        for arg in (*op.args, *_read_inside(op)):
            if arg.kind in PURE or arg.kind == "same":
                place(arg)
        out.append(op)

    for op in list(region.ops):
        place(op)
    region.ops[:] = out


def _read_inside(op):
    """The values that the regions of an operation read or yield."""
    for region in op.regions:
        yield from region.yields
        for inner in region.ops:
            yield from inner.args
            yield from _read_inside(inner)
