# SPDX-License-Identifier: Apache-2.0
"""Statements of a kernel: evaluates a function's ast once, and builds the block program of its dynamic part."""

import ast
import functools
import inspect

from .._compiler import source
from . import _loops, _pointers as pointers, _semantics as semantics, _types
from ._errors import fail, unsupported
from ._evaluate import BINARY, Expressions
from ._functions import TABLE, Range
from ._graph import Builder, Tensor
_RETURNED = "returned"
_DEPTH = 200  # of calls


class Frame:
    """The names of a function that is being evaluated. `visible`: its lines are in the kernel's file."""

    def __init__(self, function, scope, visible):
        self.function, self.scope, self.visible = function, scope, visible
        self.names, self.lost, self.result = {}, {}, None
        self.loops = 0


def _returns(statements):
    return any(isinstance(node, ast.Return) for one in statements for node in ast.walk(one))


class Translator(Expressions):
    def __init__(self, options, recorded, memories):
        self.builder, self.options, self.recorded = Builder(memories), options, recorded
        self.frame, self.depth, self.file = None, 0, None
        self.moving = {}  # the MovingBase of each name whose base loops carry
        self.selects = False  # whether conditions are blocks, in a function of tl.map_elementwise

    # --- functions ------------------------------------------------------------------------------------

    def kernel(self, function, node, scope, names):
        """Evaluates the kernel itself with these values of its parameters."""
        self.file = function.__code__.co_filename
        self.frame = Frame(function, scope, True)
        self.frame.names = dict(names)
        self.block(node.body)
        return self.builder

    def inlined(self, function, args, keywords):
        """A call of a function of the kernel's language, evaluated in place."""
        if self.depth > _DEPTH:
            fail(f"{function.__name__} calls itself", "recursion is unsupported")
        node = source.known(function, _kept).seen
        if not isinstance(node, ast.FunctionDef):
            unsupported("a lambda that is called with tensors", "write a function with @triton.jit")
        outer, before = self.frame, self.builder.place
        self.frame = Frame(function, source.Scope(function), function.__code__.co_filename == self.file and outer.visible)
        self.frame.names = self._bound(function, node, args, keywords)
        self.depth += 1
        self.block(node.body)
        self.depth -= 1
        made, self.frame, self.builder.place = self.frame.result, outer, before
        return made

    def _bound(self, function, node, args, keywords):
        signature = inspect.signature(function)
        try:
            bound = signature.bind(*args, **keywords)
        except TypeError as error:
            fail(f"{function.__name__}: {error}", f"call it as {function.__name__}{signature}")
        bound.apply_defaults()
        names = dict(bound.arguments)
        for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if one.annotation is not None and "constexpr" in ast.unparse(one.annotation) and one.arg in names:
                value = names[one.arg]
                if isinstance(value, Tensor) and (value.base is not None or self.needed_argument(value.op) is None):
                    continue  # the annotation promises more than the callee needs
                names[one.arg] = self.as_static(value, f"the argument {one.arg} of {function.__name__}")
        return {name: _types.unwrapped(value) for name, value in names.items()}

    # --- statements -----------------------------------------------------------------------------------

    def block(self, statements, after=None):
        """Evaluates statements; _RETURNED if nothing that follows them remains to be evaluated. `after` evaluates what follows, in each
        branch of a condition under which some of them return."""
        for at, one in enumerate(statements):
            self.mark(one)
            rest = functools.partial(self._continued, statements[at + 1:], after)
            if isinstance(one, ast.If):
                if self._if(one, rest) is _RETURNED:
                    return _RETURNED
                continue
            if isinstance(one, ast.For) and _returns([one]) and (items := self._static_items(one)) is not None:
                if self._unrolled(one, items, rest) is _RETURNED:
                    return _RETURNED
                continue
            if isinstance(one, ast.Return):
                if self.frame.loops:
                    unsupported("return in a loop", "make the loop's range depend on the condition")
                self.frame.result = None if one.value is None else self.value(one.value)
                return _RETURNED
            found = getattr(self, f"_{type(one).__name__}_statement", None)
            if found is None:
                unsupported(f"the statement {type(one).__name__}", "kernels have assignments, for, while, if and calls")
            found(one)
        return None

    def _continued(self, statements, after):
        """Evaluates statements and what follows them."""
        if self.block(statements, after) is not _RETURNED and after is not None:
            after()

    def _Pass_statement(self, one):
        pass

    _Global_statement = _Nonlocal_statement = _Import_statement = _ImportFrom_statement = _Pass_statement

    def _Expr_statement(self, one):
        if not isinstance(one.value, ast.Constant):
            self.value(one.value)

    def _Assert_statement(self, one):
        test = self.value(one.test)
        text = "" if one.msg is None else str(self.static(one.msg, "a message"))
        if isinstance(test, Tensor):
            TABLE["device_assert"].call(self, (test, text), {})
        elif not test:
            fail(f"assert {ast.unparse(one.test)} is false" + (f": {text}" if text else ""), "change the arguments of the call")

    def _Delete_statement(self, one):
        for target in one.targets:
            self.frame.names.pop(getattr(target, "id", None), None)

    def _Assign_statement(self, one):
        value = _types.assigned(self.value(one.value))
        for target in one.targets:
            self.bind(target, value)

    def _AnnAssign_statement(self, one):
        if one.value is None:
            return
        value = self.value(one.value)
        constant = "constexpr" in ast.unparse(one.annotation)
        if constant and isinstance(value, Tensor) and (value.base is not None or self.needed_argument(value.op) is None):
            constant = False  # Triton lets a tensor be annotated so
        self.bind(one.target, self.as_static(value, f"`{ast.unparse(one.target)}`") if constant else _types.assigned(value))

    def _AugAssign_statement(self, one):
        read = ast.copy_location(ast.Name(one.target.id, ast.Load()), one.target) if isinstance(one.target, ast.Name) else None
        if read is None:
            unsupported("an assignment to an item", "tensors are values: use tl.where")
        left, right = self.value(read), self.value(one.value)
        self.mark(one)
        self.bind(one.target, _types.assigned(self.binary(BINARY[type(one.op)], left, right)))

    def bind(self, target, value):
        """Assigns to a name or to the names of a tuple. The first name of an operation is shown for its buffer."""
        if isinstance(target, ast.Name):
            value = _types.unwrapped(value)
            if isinstance(value, Tensor) and value.op.name is None and value.base is None and value.op.kind != "const":
                value.op.name = target.id
            self.frame.names[target.id] = value
            self.frame.lost.pop(target.id, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = list(value) if isinstance(value, (tuple, list)) else fail("one value is assigned to several names", "assign a tuple")
            if len(items) != len(target.elts):
                fail(f"{len(items)} values are assigned to {len(target.elts)} names", "the numbers have to be equal")
            for one, item in zip(target.elts, items):
                self.bind(one, item)
        else:
            unsupported("an assignment to an item or attribute", "tensors are values: use tl.where")

    def _Break_statement(self, one):
        unsupported("break", "use a while loop with the opposite condition")

    def _Continue_statement(self, one):
        unsupported("continue", "put the rest of the iteration under the opposite condition")

    # --- branches -------------------------------------------------------------------------------------

    def _if(self, one, rest):
        """An if statement. Where a branch returns, each branch evaluates the rest itself."""
        test = self.tested(one.test)
        self.mark(one)
        if isinstance(test, Tensor) and test.shape != () and test.op.size == 1:
            test = semantics.reshape(self.builder, test, ())
        if not isinstance(test, Tensor) or test.op.kind == "const":
            chosen = test.op.attrs["value"] if isinstance(test, Tensor) else test
            return self.block(one.body if chosen else one.orelse, rest)
        if test.shape != () and not self.selects:
            fail(f"a condition has the shape {list(test.shape)}", "use tl.where, or reduce it to one value")
        test = semantics.condition(self.builder, test)
        branches = self._selected if test.shape else self._branches
        if not _returns(one.body) and not _returns(one.orelse):
            branches(test, lambda: self.block(one.body), lambda: self.block(one.orelse))
            return None
        branches(test, lambda: self._continued(one.body, rest), lambda: self._continued(one.orelse, rest), result=True)
        return _RETURNED

    def selected_call(self, function, args):
        """A call of a function of scalars with blocks."""
        outer, self.selects = self.selects, True
        made = self.inlined(getattr(function, "block_function", function), tuple(args), {})
        self.selects = outer
        return made

    def _selected(self, test, then, other, result=False):
        """Evaluates both branches for all elements, and selects each name by the condition."""
        outer, made = dict(self.frame.names), []
        for lanes, branch in self._sides(test, then, other):
            self.frame.names, self.frame.result = dict(outer), None
            self._on_lanes(lanes, branch)
            made.append((self.frame.names, self.frame.result))
        (names, value), (other_names, other_value) = made
        if result:
            self.frame.names, self.frame.result = outer, self._select(test, value, other_value)
        else:
            self.frame.names = {name: self._select(test, names[name], other_names[name]) for name in names if name in other_names}
            self._lose_unassigned(names, other_names)

    def _sides(self, test, then, other):
        return (test, then), (semantics.unary(self.builder, "not", test), other)

    def _on_lanes(self, lanes, branch):
        """Evaluates a branch that only some elements execute: the others divide by 1."""
        outer = self.builder.lanes
        self.builder.lanes = lanes if outer is None else semantics.logical(self.builder, "and", outer, lanes)
        made = branch()
        self.builder.lanes = outer
        return made

    def _select(self, test, one, other):
        if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
            return tuple(self._select(test, a, b) for a, b in zip(one, other))
        if one is other or not isinstance(one, Tensor) and not isinstance(other, Tensor) and one == other:
            return one
        return semantics.where(self.builder, test, one, other)

    def chosen(self, test, then, other):
        """The value of `x if test else y`."""
        if test.shape and self.selects:
            test = semantics.condition(self.builder, test)
            return self._select(test, *(self._on_lanes(*side) for side in self._sides(test, then, other)))
        test = semantics.condition(self.builder, semantics.reshape(self.builder, test, ()))
        outer = self.frame.names
        name = "the value of an if expression"

        found = []

        def run(branch):
            self.frame.names[name] = branch()
            found.append(self.frame.names[name])

        self.frame.names = dict(outer)
        self._branches(test, lambda: run(then), lambda: run(other))
        made = self.frame.names.pop(name, None)
        if made is None and any(one is not None for one in found):
            fail("the sides of an if expression differ in their types", "convert them to one type")
        self.frame.names = outer
        return made

    def _branches(self, test, then, other, result=False):
        """Evaluates both branches in regions of an `if`, and merges the names that they assign."""
        outer, made = dict(self.frame.names), []
        for branch in (then, other):
            region = self.builder.open()
            self.frame.names, self.frame.result = dict(outer), None
            branch()
            self.builder.close()
            made.append((region, self.frame.names, self.frame.result))
        (region, names, value), (other_region, other_names, other_value) = made
        self.frame.names = {}
        owner = self.builder.op("if", [test.op])
        owner.regions = [region, other_region]
        for one in owner.regions:
            one.owner = owner
        if result:
            if (value is None) != (other_value is None):
                fail("a function returns a value in one of two branches", "return one in each")
            self.frame.result = self._merged("the result", value, other_value, owner) if value is not None else None
            if self.frame.result is _DIFFERS:
                fail("the results of two branches differ in their types", "convert them to one type")
            self.frame.names = outer
            return
        self._lose_unassigned(names, other_names)
        for name in names:
            if name in other_names:
                self._merge_name(name, names[name], other_names[name], owner)

    def _lose_unassigned(self, names, other_names):
        for name in names.keys() ^ other_names.keys():
            self.frame.lost.setdefault(name, "is assigned in one branch only")

    def _merge_name(self, name, one, other, owner):
        merged = self._merged(name, one, other, owner)
        if merged is _DIFFERS:
            self.frame.lost[name] = "has values of different types in two branches"
        else:
            self.frame.names[name] = merged

    def _merged(self, name, one, other, owner):
        """The value after a branch; _DIFFERS if there is none."""
        if one is other or isinstance(one, Tensor) and isinstance(other, Tensor) and one.op is other.op and one.base is other.base:
            return one
        if pointers.can_choose(one, other) and one.base is not other.base:
            numbers = [pointers.index_of(self.builder, side) for side in (one, other)]
            if numbers[0].shape != numbers[1].shape:  # one side chooses for each element
                numbers = [self._within(region, lambda n=number, s=side: semantics.broadcast_to(self.builder, n, s.shape))
                           for region, number, side in zip(owner.regions, numbers, (one, other))]
            offset = self._merged(name, Tensor(one.op), Tensor(other.op), owner)
            return _DIFFERS if offset is _DIFFERS else pointers.chosen(offset, self._merged(f"{name}_tensor", *numbers, owner), one, other)
        if hasattr(one, "parts") and one.has_tile_of(other):
            sides = ((block.parts(), block.base, block.shape, block.strides) for block in (one, other))
            merged = [self._merged(name, a, b, owner) for a, b in zip(*sides)]
            return _DIFFERS if _DIFFERS in merged else one.with_parts(*merged)
        if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
            items = tuple(self._merged(name, a, b, owner) for a, b in zip(one, other))
            return _DIFFERS if _DIFFERS in items else items
        if not isinstance(one, Tensor) and not isinstance(other, Tensor):
            if type(one) is type(other) and one == other:
                return one
            if not semantics.is_number(one) or not semantics.is_number(other):
                return _DIFFERS
        sides = []
        for value in (one, other):
            if not isinstance(value, Tensor) and not semantics.is_number(value):
                return _DIFFERS
            sides.append(semantics.tensor(self.builder, value))
        one, other = self._common_type(owner, sides)
        if one is None:
            return _DIFFERS
        for region, value in zip(owner.regions, (one, other)):
            region.yields.append(value.op)
        made = self.builder.result(owner, len(owner.regions[0].yields) - 1, one.shape, one.op.dtype, name if name.isidentifier() else None)
        return Tensor(made, one.base)

    def _common_type(self, owner, sides):
        """Both sides of a branch with one dtype, shape and pointer; (None, None) if there is none."""
        one, other = sides
        if one.base is not other.base:
            return None, None
        if one.op.dtype != other.op.dtype:
            number = [side.op.kind == "const" for side in sides]
            dtype = _types.common(one.op.dtype, other.op.dtype, *number)
            one, other = (self._within(region, lambda s=side: semantics.cast(self.builder, s, dtype))
                          for region, side in zip(owner.regions, sides))
        if one.shape != other.shape:
            return None, None
        return one, other

    def _within(self, region, make):
        """Adds operations to a region that was closed."""
        outer, self.builder.region = self.builder.region, region
        made = make()
        self.builder.region = outer
        return made

    # --- loops ----------------------------------------------------------------------------------------

    def _For_statement(self, one):
        if one.orelse:
            unsupported("else of a loop", "write it after the loop")
        bounds = self.value(one.iter)
        if not isinstance(bounds, Range) or bounds.static:
            self._unrolled(one, self._items(bounds))
            return
        parts = list(bounds.bounds)
        if len(parts) == 1:
            parts = [0, *parts]
        if len(parts) == 2:
            parts.append(1)
        self.mark(one)
        _loops.for_loop(self, one, parts, bounds.options)

    def _static_items(self, one):
        """What a loop that is unrolled goes through; None of another loop."""
        bounds = self.value(one.iter)
        return self._items(bounds) if not isinstance(bounds, Range) or bounds.static else None

    def _items(self, value):
        try:
            return list(self.iterated(value))
        except TypeError:
            fail("a loop over something that is not a range", "use range, tl.range or tl.static_range")

    def _unrolled(self, one, items, after=None):
        """Evaluates the iterations one after another; _RETURNED as block() does."""
        for at, item in enumerate(items):
            self.bind(one.target, item)
            if self.block(one.body, lambda at=at: self._continued_loop(one, items[at + 1:], after)) is _RETURNED:
                return _RETURNED
        return None

    def _continued_loop(self, one, items, after):
        if self._unrolled(one, items, after) is not _RETURNED and after is not None:
            after()

    def _While_statement(self, one):
        if one.orelse:
            unsupported("else of a loop", "write it after the loop")
        _loops.while_loop(self, one)


class _Differs:
    pass


_DIFFERS = _Differs()


def _kept(node):
    return node


def parameter(builder, name, dtype, divisible, not_negative):
    """A scalar argument."""
    made = builder.op("argument", dtype=dtype, name=name, divisible=divisible, not_negative=not_negative)
    made.name = name
    return Tensor(made)

