# SPDX-License-Identifier: Apache-2.0
"""Decides where each value of a block program lives: in an expression, a scalar, a fragment or shared memory.

Elementwise operations become part of the T.Parallel of their consumer. A value gets a buffer where a reduction, a matrix product
or a loop needs one, where several loops read it, or where a store between its load and its use could change it.
"""

from . import _remaps, _strides
from ._graph import PURE, WRITES, Op, users_of, writes_in

EXPRESSION, SCALAR, FRAGMENT, SHARED = "expression", "scalar", "fragment", "shared"
_ELEMENTWISE = {"binary", "unary", "cast", "bitcast", "where", "math", "remap", "load", "gather", "arange"}
_CHEAP_WEIGHT = 24
_LONGEST = 64  # operations in sequence in an expression: Python's parser has a limit, as has its stack


def is_scramble(op):
    """Whether an operation reads its operand at other indices than its own."""
    return op.kind == "remap" and not _remaps.keeps_order(op)


class Plan:
    def __init__(self, top):
        self.top = top
        self._resolve(top)
        self._transposed_operands(top)
        self._accumulations(top, users_of(top))
        self._add_sets(top)
        self._drop_dead()
        self.users = users_of(top)
        self.place, self.weight, self._roots, self.alias = {}, {}, {}, {}
        self.position, self.depth, self._scrambled = {}, {}, {}
        self.narrow = set()  # operands of matrix products that are rounded to tfloat32
        self.turned = set()  # operands of matrix products in shared memory as columns, as they are in the tensor
        self._number(top)
        self._decide(top)
        self._share_buffers(top)
        self._reuse_buffers(top)
        self._narrow_operands(top)

    # --- normal form ----------------------------------------------------------------------------------

    def _resolve(self, region):
        """Replaces results of loops with closed forms by their values."""
        def final(op):
            while op.kind == "same":
                op = op.args[0]
            return op

        for op in region.ops:
            op.args = [final(arg) for arg in op.args]
            for inner in op.regions:
                self._resolve(inner)
                inner.yields[:] = [final(one) for one in inner.yields]
        region.ops[:] = [op for op in region.ops if op.kind != "same"]

    def _transposed_operands(self, region):
        """tl.dot(a, tl.trans(b)) reads b itself."""
        for op in region.ops:
            if op.kind == "dot":
                for at, arg in enumerate(op.args[:2]):
                    turned = arg.kind == "remap" and arg.attrs["how"] == "permute" and arg.args[0].shape == arg.shape[::-1]
                    op.attrs[f"transposed{at}"] = turned
                    if turned:
                        op.args[at] = arg.args[0]
            for inner in op.regions:
                self._transposed_operands(inner)

    def _accumulations(self, region, users):
        """acc + tl.dot(a, b) is tl.dot(a, b, acc)."""
        for op in region.ops:
            if op.kind == "binary" and op.attrs["name"] == "+":
                for product, start in (op.args, op.args[::-1]):
                    if product.kind == "dot" and len(product.args) == 2 and product.region is region and users[product] == [op] and (
                            start.shape, start.dtype) == (op.shape, product.dtype):
                        op.kind, op.args, op.attrs = "dot", [*product.args, start], product.attrs
                        break
            for inner in op.regions:
                self._accumulations(inner, users)

    def _add_sets(self, region):
        """Writes the values that loops and branches carry as operations `set`."""
        out = []
        for op in region.ops:
            if op.kind in ("for", "while"):
                first = 1 if op.kind == "for" else 0
                carried = op.regions[0].carried
                for value, target in zip(op.args[first:], carried):
                    out.append(self._set(value, target, region, value.place))
                del op.args[first:]
                body = op.regions[-1]
                for value, target in zip(body.yields, carried):
                    body.ops.append(self._set(value, target, body, value.place))
                body.yields = []
            elif op.kind == "if":
                results = {one.attrs["index"]: one for one in region.ops if one.kind == "result" and one.args and one.args[0] is op}
                for inner in op.regions:
                    for at, value in enumerate(inner.yields):
                        if at in results:
                            inner.ops.append(self._set(value, results[at], inner, value.place))
                    inner.yields = []
                op.attrs["results"] = list(results.values())
            if op.kind == "result":
                if op.args[0].kind == "if":
                    op.args = []
                else:
                    op.args = [op.args[0].regions[0].carried[op.attrs["index"]]]
            out.append(op)
            for inner in op.regions:
                self._add_sets(inner)
        region.ops[:] = out

    @staticmethod
    def _set(value, target, region, place):
        made = Op("set", [value], target.shape, target.dtype, {"target": target}, place)
        made.region = region
        return made

    def _drop_dead(self):
        """Removes operations that affect neither memory nor control."""
        live, todo, sets = set(), [], {}

        def roots(region):
            for op in region.ops:
                if op.kind in WRITES or op.kind == "load":  # an unused load can be out of bounds as well
                    todo.append(op)
                if op.kind == "set":
                    sets.setdefault(op.attrs["target"], []).append(op)
                for inner in op.regions:
                    roots(inner)

        roots(self.top)
        while todo:
            op = todo.pop()
            if op in live:
                continue
            live.add(op)
            todo += op.args
            todo += sets.get(op, ())
            if op.region is not None and op.region.owner is not None:
                todo.append(op.region.owner)
            if op.kind == "while":
                todo += op.regions[0].yields
            if op.kind == "for":
                todo += [one for one in op.regions[0].ops if one.kind == "counter"]
        self._keep(self.top, live)

    def _keep(self, region, live):
        region.ops[:] = [op for op in region.ops if op in live and (op.kind != "set" or op.attrs["target"] in live)]
        region.carried[:] = [op for op in region.carried if op in live]
        for op in region.ops:
            if op.kind == "if":
                op.attrs["results"] = [one for one in op.attrs["results"] if one in live]
            for inner in op.regions:
                self._keep(inner, live)

    def _number(self, region):
        for at, op in enumerate(region.ops):
            self.position[op] = at
            self._is_cheap(op)
            elementwise = op.shape and op.kind in _ELEMENTWISE
            self.depth[op] = 1 + max((self.depth.get(arg, 0) for arg in op.args), default=0) if elementwise else 0
            for inner in op.regions:
                self._number(inner)

    # --- decisions, from the last operation to the first --------------------------------------------------

    def _decide(self, region):
        for op in reversed(region.ops):
            for inner in reversed(op.regions):
                self._decide(inner)
                for one in inner.carried:
                    self.place[one] = SCALAR if not one.shape else FRAGMENT
            self.place[op] = self._place_of(op)

    def _place_of(self, op):
        if not op.shape:
            return self._scalar_place(op)
        if op.kind in ("reduce", "dot", "contract", "scan", "result"):
            return FRAGMENT if not self._read_scrambled(op) else SHARED
        if op.kind == "atomic":
            return SHARED if self.users.get(op) else EXPRESSION
        if op.kind not in _ELEMENTWISE:
            return EXPRESSION
        if self._is_cheap(op) or op.kind == "remap" and _remaps.keeps_order(op):
            return EXPRESSION
        is_end = op.kind in ("binary", "unary", "cast", "where", "math") and self.depth[op] % _LONGEST == 0
        return self._buffer_for(op) if is_end or self._needs_buffer(op) else EXPRESSION

    def _scalar_place(self, op):
        if op.kind in ("const", "argument", "program_id", "num_programs", "counter"):
            return EXPRESSION
        users = self.users.get(op, ())
        alone = len(users) == 1 and (isinstance(users[0], Op) and users[0].region is op.region and users[0].kind != "set" or
                                     users[0] is op.region)  # the condition of a while loop
        if op.kind in PURE and alone and op.name is None:
            return EXPRESSION
        return SCALAR

    def _is_cheap(self, op):
        """Whether every loop that reads a block can compute it again: functions of indices and scalars."""
        if op not in self.weight:
            self.weight[op] = 1 + sum(self._weight(arg) for arg in op.args) if op.kind in PURE and op.kind != "math" else 10**6
        return self.weight[op] <= _CHEAP_WEIGHT

    def _weight(self, op):
        if not op.shape:
            return 0
        self._is_cheap(op)
        return self.weight.get(op, 10**6)

    def _needs_buffer(self, op):
        users = self.users.get(op, ())
        if any(self._reads_buffer(user, op) for user in users):
            return True
        if len(users) > 1 and self._read_scrambled(op):  # each path would compute it again
            return True
        roots = self.roots(op)
        if len(roots) != 1:
            return True
        root = next(iter(roots))
        if root.region is not op.region or root.size > op.size:
            return True
        return op.kind == "load" and self._can_change(op, root)

    @staticmethod
    def _reads_buffer(user, op):
        """Whether a user reads the buffer of an operand, not its elements one by one."""
        if user.kind == "set":
            return user.attrs["target"].kind == "carried" and user.region is user.attrs["target"].region.owner.regions[-1]
        return user.kind in ("reduce", "scan", "dot", "contract") or user.kind == "gather" and user.args[0] is op

    def roots(self, op):
        """The operations with a separate loop that evaluate an operation."""
        if op not in self._roots:
            found = set()
            for user in self.users.get(op, ()):
                inline = self.place.get(user) == EXPRESSION and user.kind in _ELEMENTWISE
                found |= self.roots(user) if inline else {user}
            self._roots[op] = found
        return self._roots[op]

    def _can_change(self, load, root):
        """Whether memory may change between a load and the operation that uses it."""
        if load.attrs["volatile"]:
            return True
        group = load.attrs["base"].group
        for op in load.region.ops[self.position[load] + 1:self.position[root]]:
            if writes_in(op) & {group, None}:
                return True
        return bool(writes_in(root) & {group}) and load.args[0] is not root.args[0]

    def _read_scrambled(self, op):
        """Whether some loop reads the elements of a value at other indices than its own. The places of its users are known."""
        if op not in self._scrambled:
            self._scrambled[op] = any(
                user.kind == "contract" or user.kind == "gather" and user.args[0] is op or is_scramble(user) or
                self.place.get(user) == EXPRESSION and user.kind in _ELEMENTWISE and self._read_scrambled(user)
                for user in self.users.get(op, ()))
        return self._scrambled[op]

    def _buffer_for(self, op):
        for user in self.users.get(op, ()):
            if user.kind == "dot" and (user.args[1] is op or user.args[0] is op and self._loads(op)):
                if op.kind == "load" and _strides.is_column_major(op):
                    self.turned.add(op)
                return SHARED
        return SHARED if self._read_scrambled(op) else FRAGMENT

    def _loads(self, op):
        """Whether a value consists of loaded elements, such as an operand of a matrix product."""
        return op.kind == "load" or op.kind in ("cast", "remap", "where", "unary") and any(self._loads(arg) for arg in op.args if arg.shape)

    # --- buffers that several values share -----------------------------------------------------------------

    def buffer(self, op):
        """The value whose buffer an operation uses."""
        while op in self.alias:
            op = self.alias[op]
        return op

    def _narrow_operands(self, region):
        """Operands in shared memory that only products with input_precision="tf32" read."""
        for op in region.ops:
            if op.kind == "dot" and op.attrs["tf32"]:
                fits = all(self.place[arg] == SHARED and all(user.kind == "dot" and user.attrs["tf32"] for user in self.users[arg])
                           for arg in op.args[:2])
                self.narrow.update(op.args[:2] if fits else ())
            for inner in op.regions:
                self._narrow_operands(inner)

    def _share_buffers(self, region):
        for op in region.ops:
            for inner in op.regions:
                self._share_buffers(inner)
            if op.kind == "result" and op.args:
                self.alias[op] = op.args[0]
            if op.kind == "dot" and len(op.args) == 3:
                self._accumulate_in_place(op)
        if region.owner is not None and region.owner.kind in ("for", "while") and region is region.owner.regions[-1]:
            for op in region.ops:
                if op.kind == "set" and op.shape:
                    self._write_in_place(op, region)

    def _reuse_buffers(self, region):
        """Values in shared memory that are not live at the same time use one buffer (linear scan): the steps of a scan or sort need two.
        Operands of matrix products keep theirs: pipelines copy into them during earlier iterations."""
        free, busy = {}, []  # buffers by shape and dtype; (position of the last reader, buffer)
        for at, op in enumerate(region.ops):
            for inner in op.regions:
                self._reuse_buffers(inner)
            if not self._is_scratch(op):
                continue
            for one in [one for one in busy if one[0] < at]:
                busy.remove(one)
                free.setdefault((one[1].shape, one[1].dtype), []).append(one[1])
            if found := free.get((op.shape, op.dtype)):
                self.alias[op] = found.pop()
            last = max((self.position[one] for one in self._readers(op, region)), default=at)
            busy.append((last, self.buffer(op)))

    def _is_scratch(self, op):
        """Whether a value is computed into a buffer in shared memory that no matrix product reads."""
        return (self.place.get(op) == SHARED and op.kind in _ELEMENTWISE and op not in self.alias and op not in self.alias.values()
                and not any(user.kind == "dot" for user in self.users.get(op, ())))

    def _accumulate_in_place(self, op):
        start = op.args[2]
        if self.place.get(start) != FRAGMENT or self.place[op] != FRAGMENT or self._last_reader(start, op.region) is not op:
            return
        if start.region is op.region and start.kind != "result":
            self.alias[op] = start

    def _write_in_place(self, op, region):
        """The last value of an iteration is written to the carried buffer, if no later operation reads its first value."""
        value, target = op.args[0], op.attrs["target"]
        first = self.buffer(value)
        if first is target or first.region is not region or first.kind == "carried" or self.place.get(first) != FRAGMENT:
            return
        if first.kind not in _ELEMENTWISE | {"dot"} or (first.shape, first.dtype) != (target.shape, target.dtype):
            return
        readers = self._readers(target, region)
        if all(self.position[one] <= self.position[first] for one in readers) and not (
                first in readers and self._read_elsewhere(target, first)):
            self.alias[first] = target

    def _readers(self, op, region):
        """The operations of a region, outermost, that read the buffer of a value."""
        out = set()
        for root in self.roots(op):
            if not root.region.inside(region):  # after the loop, which has written the buffer again
                continue
            while root.region is not region:
                root = root.region.owner
            out.add(root)
        return out

    def _last_reader(self, op, region):
        return max(self._readers(op, region), key=lambda one: self.position.get(one, -1), default=None)

    def _read_elsewhere(self, op, root):
        """Whether `root` reads elements of `op` at other indices than that of the element that it writes."""
        seen = set()

        def search(one):
            if one is op or one in seen:
                return False
            seen.add(one)
            if one is not root and self.place.get(one) != EXPRESSION:
                return False
            if one.kind == "remap" and self._reaches(one, op, set()):
                return True
            return any(search(arg) for arg in one.args if arg.shape)

        return root.kind == "dot" or search(root)

    def _reaches(self, one, op, seen):
        if one in seen:
            return False
        seen.add(one)
        return one is op or self.place.get(one) == EXPRESSION and any(self._reaches(arg, op, seen) for arg in one.args if arg.shape)
