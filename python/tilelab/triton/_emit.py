# SPDX-License-Identifier: Apache-2.0
"""Writes a planned block program as a tile program: T.Parallel loops, T.reduce, T.gemm, loops and branches."""

from . import _remaps as remaps
from ._plan import EXPRESSION, FRAGMENT, SCALAR, SHARED
from ._text import Line, Names
from ._values import Values, literal

_INDICES = "ijklmnopqrstuvwxyzabcdefgh"  # of the dimensions of a block
_FIRST = (1, 0, 1, 0)


class Emitter(Values):
    def __init__(self, plan, taken, num_stages=1):
        self.plan, self.num_stages = plan, num_stages
        self.unique = Names({*taken, "_T", "_nan", "_inf"})
        self.names = {}  # the buffer or variable of a value
        self.declared = []  # allocations, at the beginning of the kernel
        self.out = []  # statements of the region that is being written
        self.letters = {}  # the loop variables of T.Parallel
        self.saved = {}  # copies of carried values by loop body
        self.known, self.reads = {}, {}
        self.launch = {}

    def program(self):
        """The statements of the kernel."""
        self.region(self.plan.top)
        return [*self.declared, *self.out]

    def launch_index(self, op):
        return self.launch[op.kind, op.attrs["axis"]]

    # --- names and buffers ----------------------------------------------------------------------------

    def name_for(self, op):
        return self.unique.new(op.name or "t")

    def buffer(self, op, place=None):
        """The name of a value's buffer, declared on first use."""
        rep = self.plan.buffer(op)
        if rep not in self.names:
            kind = place or self.plan.place.get(rep, FRAGMENT)
            shape = rep.shape[::-1] if rep in self.plan.turned else rep.shape
            dtype = "tfloat32" if rep in self.plan.narrow else None
            self.names[rep] = self.allocate(op if op.name else rep, kind, shape or (1,), dtype)
        return self.names[rep]

    def allocate(self, op, place, shape, dtype=None):
        name = self.name_for(op)
        extents = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        how = "alloc_shared" if place == SHARED else "alloc_fragment"
        self.declared.append(Line(f'{name} = _T.{how}(({extents}), "{dtype or op.dtype.tile}")', op.place))
        return name

    def variable(self, op):
        """The name of a scalar that is assigned more than once."""
        rep = self.plan.buffer(op)
        if rep not in self.names:
            self.names[rep] = self.name_for(op)
            self.out.append(Line(f'{self.names[rep]} = _T.alloc_var("{op.dtype.tile}")', op.place))
        return self.names[rep]

    def line(self, text, op, body=None):
        self.out.append(Line(text, op.place, body))

    # --- loops over the elements of a block --------------------------------------------------------------

    def parallel(self, op, write, shape=None):
        """A T.Parallel over a block; `write(index)` writes its statements."""
        shape = op.shape if shape is None else shape
        index = tuple(self.letters.get(letter) or self._reserved(letter) for letter in _INDICES[:len(shape)])
        outer = self.out
        self.out, self.known, self.reads = [], {}, self._count_reads(op)
        write(index)
        body, self.out = self.out, outer
        self.known, self.reads = {}, {}
        self.line(f"for {', '.join(index)} in _T.Parallel({', '.join(map(str, shape))}):", op, body)

    def _reserved(self, letter):
        """The name of a loop variable, which no value of the kernel has."""
        self.letters[letter] = self.unique.new(letter)
        return self.letters[letter]

    def _count_reads(self, root):
        """How often the expressions of a loop read each operation of which they consist."""
        reads = {}

        def visit(op):
            for arg in op.args:
                if arg.shape and (self.plan.place.get(arg) == EXPRESSION or arg not in self.plan.place):
                    reads[arg] = reads.get(arg, 0) + 1
                    if reads[arg] == 1:
                        visit(arg)

        visit(root)
        return reads

    def let(self, op, text):
        name = self.name_for(op)
        self.out.append(Line(f"{name} = {text}", op.place))
        return name

    def fill_buffer(self, op, name):
        """Computes a block into its buffer."""
        turned = op in self.plan.turned

        def write(index):
            place = index[::-1] if turned else index
            text = self.text(op, place, self._operands(op, place))
            text = f'_T.cast({text}, "tfloat32")' if op in self.plan.narrow else text
            self.line(f"{name}[{', '.join(index)}] = {text}", op)

        self.parallel(op, write, op.shape[::-1] if turned else op.shape)

    def buffered(self, op):
        """The name of a buffer with a block, which is computed into a new one if it is an expression."""
        if self.plan.place.get(op) in (FRAGMENT, SHARED):
            return self.buffer(op)
        name = self.allocate(op, FRAGMENT, op.shape)
        self._copy_into(op, name, op)
        return name

    def _copy_into(self, value, name, op):
        """name[...] = value, with the loop at the location of `op`."""
        if value.kind == "remap" and value.args[0].kind == "const":
            number = value.args[0]
            self.line(f"_T.fill({name}, {literal(number.attrs['value'], number.dtype)})", op)
            return

        def write(index):
            self.line(f"{name}[{', '.join(index)}] = {self.element(value, index)}", op)

        holder = op if value in op.args else _Holder(op, [value])
        self.parallel(holder, write, value.shape)

    # --- operations -------------------------------------------------------------------------------------

    def region(self, region):
        for op in region.ops:
            found = getattr(self, f"_{op.kind}", None)
            if found is not None:
                found(op)
            elif op.shape and self.plan.place[op] != EXPRESSION:
                self.fill_buffer(op, self.buffer(op))
            elif not op.shape and self.plan.place[op] == SCALAR:
                self.known = {}
                text = self.text(op, (), self.scalar_operands(op))
                self.names[op] = name = self.name_for(op)
                self.line(f"{name} = {text}", op)

    def _swapped(self, region):
        """The values that an iteration takes from other carried values: they are copied before they are overwritten."""
        return {op.args[0] for op in region.ops if self._ends_iteration(op, region) and op.args[0].kind == "carried"
                and self.plan.buffer(op.args[0]) is not op.attrs["target"] and op.args[0].region.owner.regions[-1] is region}

    @staticmethod
    def _ends_iteration(op, region):
        if op.kind != "set" or op.attrs["target"].kind != "carried":
            return False
        return op.attrs["target"].region.owner.regions[-1] is region

    def _set(self, op):
        value, target = op.args[0], op.attrs["target"]
        if self._ends_iteration(op, op.region) and op.region not in self.saved:
            self.saved[op.region] = {one: self._save(one) for one in self._swapped(op.region)}
        saved = self.saved.get(op.region, {}).get(value)
        if not op.shape:
            name, text = self.variable(target), saved or self.scalar(value)
            if text != name:
                self.line(f"{name} = {text}", op)
            return
        name = self.buffer(target)
        if saved:
            self.line(f"_T.copy({saved}, {name})", op)
        elif self.plan.buffer(value) is not self.plan.buffer(target):
            self._copy_into(value, name, op)

    def _save(self, op):
        """Copies a carried value that this iteration overwrites."""
        if not op.shape:
            return self.let(op, self.scalar(op))
        name = self.allocate(op, FRAGMENT, op.shape)
        self.line(f"_T.copy({self.buffer(op)}, {name})", op)
        return name

    def _store(self, op):
        if not op.shape:
            args = [self.scalar(arg) for arg in op.args]
            self._write_store(op, args)
            return

        def write(index):
            mask = [self.element(op.args[2], index)] if len(op.args) == 3 else []
            value = self.element(op.args[1], remaps.aligned(index, op.args[1].shape))
            self._write_store(op, [self.element(op.args[0], index), value, *mask])

        self.parallel(op, write)

    def _write_store(self, op, args):
        text = f"{op.attrs['base'].name}[{args[0]}] = {args[1]}"
        if len(args) == 3:
            self.line(f"if {args[2]}:", op, [Line(text, op.place)])
        else:
            self.line(text, op)

    def _atomic(self, op):
        """One T.Parallel, also for a single element, so that the element is updated once. A result goes through shared memory."""
        used = bool(self.plan.users.get(op))
        result = self.allocate(op, SHARED, op.shape or (1,)) if used else None
        count = op.attrs["values"]

        def write(index):
            parts = [self.element(arg, remaps.aligned(index, arg.shape)) for arg in op.args]
            address = f"{op.attrs['base'].name}[{parts[0]}]"
            call = self._atomic_call(op, address, parts[1:1 + count], used)
            text = f"{result}[{', '.join(index)}] = {call}" if used else call
            if len(parts) > 1 + count:
                self.line(f"if {parts[-1]}:", op, [Line(text, op.place)])
            else:
                self.line(text, op)

        if used and len(op.args) > 1 + count:
            self.line(f"_T.clear({result})", op)
        self.parallel(op, write, op.shape or (1,))
        if used and op.shape:
            self.names[op] = result
        elif used:
            self.names[op] = self.let(op, f"{result}[0]")

    @staticmethod
    def _atomic_call(op, address, values, used):
        """The call of an atomic operation. An exchange whose result is unused is a store."""
        name, order = op.attrs["name"], op.attrs["order"]
        if name == "xchg" and not used:
            order = "relaxed" if order in ("relaxed", "acquire") else "release"
            return f'_T.atomic_store({address}, {values[0]}, memory_order="{order}")'
        if name == "load":
            return f'_T.atomic_load({address}, memory_order="{order}")'
        if name == "cas":
            return f'_T.atomic_cas({address}, {values[0]}, {values[1]}, memory_order="{order}")'
        name = {"xchg": "exchange"}.get(name, name)
        return f'_T.atomic_{name}({address}, {values[0]}, memory_order="{order}"{", return_prev=True" if used else ""})'

    def _reduce(self, op):
        source = self.buffered(op.args[0])
        out = self.buffer(op) if op.shape else self.allocate(op, FRAGMENT, (1,))
        self.line(f"_T.reduce_{op.attrs['operation']}({source}, {out}, dim={op.attrs['axis']})", op)
        if not op.shape:
            self.names[op] = self.let(op, f"{out}[0]")

    def _scan(self, op):
        out, source = self.buffer(op), self.buffered(op.args[0])
        self.line(f"_T.cumsum({source}, {out}, dim={op.attrs['axis']}, reverse={op.attrs['reverse']})", op)

    def _dot(self, op):
        parts = [self.buffered(arg) for arg in op.args[:2]]
        out = self.buffer(op) if self.plan.place[op] == FRAGMENT else self.allocate(op, FRAGMENT, op.shape)
        options = "".join(f", transpose_{letter}=True" for at, letter in enumerate("AB")
                          if op.attrs[f"transposed{at}"] != (op.args[at] in self.plan.turned))
        if len(op.args) == 2:
            options += ", clear_accum=True"
        elif self.plan.buffer(op.args[2]) is not self.plan.buffer(op):
            self._copy_into(op.args[2], out, op)
        self.line(f"_T.gemm({parts[0]}, {parts[1]}, {out}{options})", op)
        if self.plan.place[op] == SHARED:
            self.line(f"_T.copy({out}, {self.buffer(op)})", op)

    def _contract(self, op):
        """out[b, i, j] = sum of left[b, i, k] * right[b, k, j], over k one after the other."""
        out = self.buffer(op) if self.plan.place[op] == FRAGMENT else self.allocate(op, FRAGMENT, op.shape)
        self.line(f"_T.fill({out}, {literal(0, op.dtype)})", op)
        depth, outer = self.unique.new("depth"), self.out

        def write(index):
            batch, row, column = index
            parts = [self.element(arg, remaps.aligned(at, arg.shape)) for arg, at in zip(op.args, ((batch, row, depth), (batch, depth, column)))]
            product = " * ".join(f'_T.cast({part}, "{op.dtype.tile}")' for part in parts)
            at = ", ".join(index)
            self.line(f"{out}[{at}] = {out}[{at}] + {product}", op)

        self.out = []
        self.parallel(op, write)
        body, self.out = self.out, outer
        self.line(f"for {depth} in _T.serial({op.args[0].shape[-1]}):", op, body)
        if self.plan.place[op] == SHARED:
            self.line(f"_T.copy({out}, {self.buffer(op)})", op)

    def _result(self, op):
        """It is in the buffer or variable of its loop or branch."""

    def _if(self, op):
        for one in op.attrs["results"]:
            self.buffer(one) if one.shape else self.variable(one)
        test = self.scalar(op.args[0])
        bodies = [self._nested(region) for region in op.regions]
        if not bodies[0]:
            test, bodies = f"not {test}", [bodies[1], None]
        if bodies[0]:
            self.out.append(Line(f"if {test}:", op.place, bodies[0], bodies[1]))

    def _nested(self, region):
        outer, self.out = self.out, []
        self.region(region)
        made, self.out = self.out, outer
        return made

    def _for(self, op):
        region = op.regions[0]
        counter = next((one for one in region.ops if one.kind == "counter"), None)
        name = self.unique.new(counter.name if counter is not None and counter.name else "it")
        if counter is not None:
            self.names[counter] = name
        count = self.scalar(op.args[0])
        stages = self._stages(op)
        body = self._nested(region)
        how = f"_T.Pipelined({count}, num_stages={stages})" if stages > 1 else f"_T.serial({count})"
        self.line(f"for {name} in {how}:", op, body)

    def _stages(self, op):
        """The stages of a loop that loads operands of matrix products."""
        asked = op.attrs["options"].get("num_stages", self.num_stages)
        products = [one for one in op.regions[0].ops if one.kind == "dot"]
        loaded = any(arg.region is op.regions[0] and self.plan.place.get(arg) == SHARED for one in products for arg in one.args[:2])
        return asked if loaded else 1

    def _counter(self, op):
        pass

    def _while(self, op):
        before, region = op.regions
        body, test = self._nested(before), self.scalar(before.yields[0])
        if not body:  # the condition is an expression of variables
            self.line(f"while {test}:", op, self._nested(region) or [Line("pass", op.place)])
            return
        again = self.unique.new("again")
        self.line(f'{again} = _T.alloc_var("bool", init=True)', op)
        body.append(Line(f"{again} = {test}", op.place))
        inner = self._nested(region)
        if inner:
            body.append(Line(f"if {again}:", op.place, inner))
        self.line(f"while {again}:", op, body)

    def _print(self, op):
        value = op.args[0]
        text = f', msg="{_escaped(op.attrs["message"])}"'
        self.line(f"_T.print({self.buffered(value) if value.shape else self.scalar(value)}{text})", op)

    def _assert(self, op):
        text = _escaped(op.attrs["message"])
        if not op.args[0].shape:
            self.line(f'_T.device_assert({self.scalar(op.args[0])}, "{text}")', op)
            return
        self.parallel(op, lambda index: self.line(f'_T.device_assert({self.element(op.args[0], index)}, "{text}")', op), op.args[0].shape)

    def _assume(self, op):
        if not op.args[0].shape:
            self.line(f"_T.assume({self.scalar(op.args[0])})", op)

    def _barrier(self, op):
        self.line("_T.sync_threads()", op)


class _Holder:
    """Stands for an operation whose expression is written outside of the plan."""

    def __init__(self, op, args):
        self.place, self.args, self.shape = op.place, args, op.shape


def _escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
