# SPDX-License-Identifier: Apache-2.0
"""Counts memory accesses and operations per source line, in a sample of blocks at thread level, for %banks and %roof."""

import ctypes
import re

from .. import _core
from .._compiler.errors import CompileError
from .._kernel.arguments import describe, raise_if_failed
from .._kernel.arrays import empty, view
from .._kernel.progress import Progress
from .memory import written_memory

_FRESH = 32 << 20  # bytes; larger allocations are zeroed by the system


def extents_of(kernel):
    """Names that a call binds: dynamic extents and scalar parameters."""
    names = []
    for param in kernel._raw_params:
        if param["shape"] is None:
            names.append(param["name"])
        names += [word for entry in param["shape"] or () if isinstance(entry, str)
                  for word in re.findall(r"[A-Za-z_]\w*", entry) if word != "ceildiv"]
    return list(dict.fromkeys(names))


def zero_arguments(kernel, extents):
    """Arguments for a kernel without a call: tensors of zeros; ValueError if extents are missing."""
    known = extents_of(kernel)
    for name in extents:
        if name not in known:
            raise ValueError(f"{name} is not an extent or scalar of {kernel.name}" + (f"; it has {', '.join(known)}" if known else
                                                                                 ", which has no dynamic ones"))
    if missing := [name for name in known if name not in extents]:
        raise ValueError(f"{kernel.name} needs values for {' and '.join(missing)}: write a call, "
                         f"{kernel.name}(...), or {' '.join(f'{name}=64' for name in missing)}")
    values = []
    shapes = kernel._func.shapes({name: value for name, value in extents.items() if isinstance(value, int)})
    for i, param in enumerate(kernel._raw_params):
        if i in kernel._outputs:
            continue
        if param["shape"] is None:
            values.append(extents[param["name"]])
            continue
        array = empty(shapes[i], param["dtype"], "numpy")
        seen = view(array)
        if seen.nbytes(param["bytes"]) < _FRESH:
            ctypes.memset(seen.address, 0, seen.nbytes(param["bytes"]))
        values.append(array)
    return values


def with_layout(kernel, buffer, shape, layout):
    """The kernel with another shape and layout of a shared buffer, or None if that does not compile."""
    declared = rf"^(\s*{buffer} = shared\(\w+, )\[[^\]]*\](, lay=.*)?\)$"
    text, changed = re.subn(declared, rf"\g<1>{shape}{layout and ', ' + layout})", kernel._func.text(), count=1, flags=re.M)
    func = _core.read_ir("layout", text)[0] if changed else None
    try:
        return func and type(kernel)(func, kernel_name=kernel.name, identity=kernel._identity)
    except CompileError:
        return None


def own_shared(kernel):
    """{name: rank} of the shared buffers that the user declared."""
    return {name: len(shape.split(",")) for name, shape in re.findall(r"^\s*(\w+) = shared\(\w+, \[([^\]]*)\]", kernel._func.text(), re.M)}


class Counters:
    """Rows of dicts: .sites, .work; .buffers, .tensors, .blocks [(all, ran)] of each launch; .zeros: no arguments were given."""

    def __init__(self, kernel, values, extents, most_blocks, suggestions=False):
        self.kernel, self.zeros = kernel, values is None
        values = zero_arguments(kernel, extents) if values is None else values
        described, self.arrays, _ = describe(kernel, values)
        if kernel.target == "cpu":
            raise ValueError(f"{kernel.name} is for the target cpu, whose blocks are one thread each; name another target: "
                             f"--target mp_31")
        func, memory = kernel._at_level("thread", blocks_stay=False), written_memory(kernel._func, described, fresh=True)
        try:
            with Progress(f"counts of {kernel.name}") as step:
                made = func.metered(described, most_blocks, own_shared(kernel) if suggestions else {}, step)
        finally:
            memory.restore()
        raise_if_failed(kernel.name, made["run"])
        if made["run"]["findings"]:
            raise ValueError(f"{kernel.name} does not run without findings ( {made['run']['findings'][0]['kind']}): see %check")
        self.sites, self.work, self.buffers = made["sites"], made["work"], made["buffers"]
        self.tensors, self.blocks, self.banks = made["tensors"], made["blocks"], made["banks"]

    @property
    def scaled(self):
        return any(ran < all_ for all_, ran in self.blocks)

    def ran_text(self):
        """"all 64 blocks ran", or the size of the sample that the counts are scaled from."""
        total, ran = (sum(pair[i] for pair in self.blocks) for i in (0, 1))
        text = f"the {'one block' if total == 1 else f'{total} blocks'} ran" if ran == total else \
            f"{ran} of {total} blocks ran, first to last and those at the edges; counts are scaled to all"
        return text + (", with zeros as arguments; if indices depend on data, write a call" if self.zeros else "")


def merged(rows, keys, sums, most=()):
    """Merges rows with equal `keys`: sums and maxima."""
    out = {}
    for row in rows:
        key = tuple(row[k] for k in keys)
        if (known := out.get(key)) is None:
            out[key] = dict(row)
            continue
        for name in sums:
            known[name] += row[name]
        for name in most:
            known[name] = max(known[name], row[name])
    return list(out.values())
