# SPDX-License-Identifier: Apache-2.0
"""The block program of a kernel: operations in SSA form, in nested regions. `Builder` creates it; equal pure operations are one."""

import math

from ._types import PointerType, int1, int32

# Kinds whose result depends on their operands only.
PURE = {"const", "argument", "program_id", "num_programs", "arange", "binary", "unary", "cast", "bitcast", "where", "math", "remap",
        "extent"}
# Kinds that write memory or must stay in order with what does.
WRITES = {"store", "atomic", "print", "assert", "assume", "barrier"}
STRUCTURE = {"for", "while", "if"}


class Op:
    """One operation. `shape` is () for scalars; `place` is the (line, column, end line, end column) of its source; `known` has what was
    proved of its value (_values.py)."""

    __slots__ = ("kind", "args", "shape", "dtype", "attrs", "place", "region", "regions", "name", "number", "known")
    count = 0

    def __init__(self, kind, args, shape, dtype, attrs, place):
        self.kind, self.args, self.shape, self.dtype = kind, list(args), tuple(shape), dtype
        self.attrs, self.place, self.region, self.regions, self.name, self.known = attrs, place, None, [], None, {}
        Op.count += 1
        self.number = Op.count

    @property
    def size(self):
        return math.prod(self.shape)

    def __repr__(self):
        return f"%{self.number} {self.kind}{self.attrs or ''} {self.shape} {self.dtype}"


class Region:
    """A list of operations; `carried` are the values that change from one iteration of a loop to the next, `yields` their next values."""

    def __init__(self, parent=None, owner=None):
        self.parent, self.owner = parent, owner
        self.ops, self.carried, self.yields = [], [], []
        self.known = {}

    def inside(self, other):
        """Whether this region is `other` or nested in it."""
        region = self
        while region is not None:
            if region is other:
                return True
            region = region.parent
        return False


class Tensor:
    """A value of the kernel as the translator handles it: an operation and, for pointers, the argument that they point into."""

    __slots__ = ("op", "base")

    def __init__(self, op, base=None):
        self.op, self.base = op, base

    @property
    def shape(self):
        return self.op.shape

    @property
    def dtype(self):
        return PointerType(self.base.element) if self.base is not None else self.op.dtype

    def __repr__(self):
        return f"<tensor {list(self.shape)} of {self.dtype}>"


class Argument:
    """A pointer argument: the storage of a tensor."""

    def __init__(self, name, element):
        self.name, self.element = name, element
        self.group = name  # arguments of one group may share memory
        self.constant = False  # whether it is annotated tl.const
        self.policies = set()  # the eviction policies of loads from it


class Memories:
    """Everything into which the pointers of a kernel point, by its name: arguments, and what becomes a further parameter of the tile program.
    It is the same in each attempt to translate a kernel."""

    def __init__(self, parameters):
        self.parameters = parameters  # the names of the kernel's parameters
        self.arguments = {}
        self.tables = {}  # the memory to which the addresses in an argument point, by the name of the argument
        self.casts = {}  # the memory of an argument as elements of another dtype, by (name of the argument, dtype)

    def argument(self, made):
        """A new argument, or that of its name."""
        return self.arguments.setdefault(made.name, made)

    def number_of(self, argument):
        return list(self.arguments).index(argument.name)

    def unused(self, name):
        """A name for a further parameter."""
        while name in self.parameters or name in self.arguments:
            name += "_"
        return name

    def of_addresses(self, op, element):
        """The memory to which a loaded address points; None if `op` is not a load of an address."""
        if op.kind != "load" or op.dtype.long_name not in ("int64", "uint64"):
            return None
        name = op.attrs["base"].name
        if name not in self.tables:
            self.tables[name] = self.argument(Argument(self.unused(f"{name}_memory"), element))
        return self.tables[name]


def _key(value):
    if isinstance(value, float):
        return "float", value.hex()
    if isinstance(value, (list, tuple)):
        return tuple(map(_key, value))
    return type(value).__name__, value


class Builder:
    """Adds operations to the innermost open region."""

    def __init__(self, memories):
        self.memories = memories
        self.top = self.region = Region()
        self.place = (1, 0, 1, 0)
        self.lanes = None  # the elements that execute a branch of a function of scalars

    def op(self, kind, args=(), shape=(), dtype=None, **attrs):
        """A new operation, or the equal one before it."""
        key = None
        if kind in PURE:
            key = (kind, tuple(a.number for a in args), tuple(shape), dtype, tuple((k, _key(v)) for k, v in sorted(attrs.items())))
            region = self.region
            while region is not None:
                if (found := region.known.get(key)) is not None:
                    return found
                region = region.parent
        made = Op(kind, args, shape, dtype, attrs, self.place)
        made.region = self.region
        self.region.ops.append(made)
        if key is not None:
            self.region.known[key] = made
        return made

    def const(self, value, dtype):
        return self.op("const", dtype=dtype, value=value)

    def index(self, value):
        return self.const(value, int32)

    def open(self, owner=None):
        """Begins a nested region, which `close` ends."""
        self.region = Region(self.region, owner)
        return self.region

    def close(self):
        made, self.region = self.region, self.region.parent
        return made

    # --- values that loops and branches carry ---------------------------------------------------------

    def carried(self, region, shape, dtype, name):
        made = Op("carried", (), shape, dtype, {}, self.place)
        made.region, made.name = region, name
        region.carried.append(made)
        return made

    def result(self, owner, index, shape, dtype, name):
        made = Op("result", [owner], shape, dtype, {"index": index}, self.place)
        made.region, made.name = self.region, name
        self.region.ops.append(made)
        return made


def users_of(top):
    """{op: the operations that read it}; a region reads what it yields: its owner is the user."""
    users = {}

    def visit(region):
        for op in region.ops:
            for arg in op.args:
                users.setdefault(arg, []).append(op)
            for inner in op.regions:
                visit(inner)
                for value in inner.yields:
                    users.setdefault(value, []).append(inner)

    visit(top)
    return users


def writes_in(op):
    """The storage groups that an operation and those inside it write; None in it stands for every group."""
    if op.kind == "store" or op.kind == "atomic":
        return {op.attrs["base"].group}
    if op.kind == "barrier":
        return {None}
    return {group for region in op.regions for inner in region.ops for group in writes_in(inner)}


def is_true(op):
    return op is None or op.kind == "const" and op.dtype == int1 and op.attrs["value"] is True
