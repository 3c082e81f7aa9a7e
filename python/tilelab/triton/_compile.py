# SPDX-License-Identifier: Apache-2.0
"""From a function of @triton.jit, with the types and compile-time values of a call, to a kernel of tilelab."""

import ast

from .. import _core
from .._compiler import bridge, source
from .._compiler.errors import CompileError, compiling, refuse
from .._compiler.messages import message
from . import _semantics as semantics, _types
from ._emit import Emitter
from ._errors import MovingBase, NeedsConstant, Refused
from ._functions.blocks import TensorDescriptor
from ._graph import Argument, Memories, Tensor
from ._plan import Plan
from ._text import Line
from ._translate import Translator, parameter


class Signature:
    """What a kernel is compiled for. `pointers`: {name: (dtype, storage group)}; `scalars`: {name: (dtype, divisible by 16,
    positive)}; `constants`: {name: value}; `order`: the names of the parameters; `descriptors`: {name: (shape of a tile, padding)};
    `tuples`: {name: (its type, number of items)}, outer ones first; `shifted`: pointers that begin at the argument NAME__first."""

    def __init__(self, order, pointers, scalars, constants, descriptors, tuples, shifted):
        self.order, self.pointers, self.scalars, self.constants = order, pointers, scalars, constants
        self.descriptors, self.tuples, self.shifted = descriptors, tuples, shifted

    def key(self):
        from ..jit._captures import key_of

        return (tuple(self.pointers.items()), tuple(self.scalars.items()), tuple(self.descriptors.items()), tuple(self.tuples.items()),
                tuple(self.shifted),
                tuple((name, key_of(_plain(value))) for name, value in self.constants.items()))


def _plain(value):
    if isinstance(value, (_types.DType, _types.PointerType, _types.BlockType)):
        return repr(value)
    return tuple(map(_plain, value)) if isinstance(value, (tuple, list)) else value


def program_of(function, node, scope, signature, options, recorded, moving=None, memories=None):
    """(lines of the kernel's body, launch names, its memories, further parameters by name) of a function. `moving`: {name of a pointer or
    descriptor whose base loops carry: the MovingBase that reported it}."""
    moving, memories = moving or {}, memories or Memories(signature.order)
    try:
        return _program_of(function, node, scope, signature, options, recorded, moving, memories)
    except MovingBase as found:
        moving = {**moving, found.name: found.joined(moving.get(found.name))}
        return program_of(function, node, scope, signature, options, recorded, moving, memories)


def _program_of(function, node, scope, signature, options, recorded, moving, memories):
    translator = Translator(options, recorded, memories)
    translator.moving = moving
    names, constant = {}, {one.arg for one in node.args.args if one.annotation is not None and _is_const(one.annotation)}
    for name in signature.order:
        if name in signature.pointers:
            dtype, group = signature.pointers[name]
            base = memories.argument(Argument(name, dtype))
            base.group, base.constant = group, name in constant
            names[name] = Tensor(translator.builder.const(0, _types.int32), base)
        elif name in signature.scalars:
            names[name] = parameter(translator.builder, name, *signature.scalars[name])
        else:
            names[name] = signature.constants.get(name)
    for name in signature.shifted:
        names[name] = semantics.binary(translator.builder, "+", names[name], names.pop(f"{name}__first"))
    for name, (block, padding) in signature.descriptors.items():
        names[name] = _descriptor(translator.builder, name, names, block, padding)
    for name, (kind, count) in reversed(signature.tuples.items()):
        items = [names.pop(f"{name}__{i}") for i in range(count)]
        names[name] = tuple(items) if kind is tuple else kind(*items)
    try:
        builder = translator.kernel(function, node, scope, names)
    except Refused as error:
        raise CompileError(_diagnostic(error, function, translator.builder.place)) from None
    plan = Plan(builder.top)
    added = {memory.name: memory for memory in (*memories.tables.values(), *memories.casts.values())}
    taken = {*signature.order, *added, *(f"{name}_size" for name in (*signature.pointers, *added))}
    emitter = Emitter(plan, taken, options.get("num_stages") or 1)
    launch = _launch_names(builder.top, emitter)
    return emitter.program(), launch, memories, added


def _is_const(annotation):
    return ast.unparse(annotation).rpartition(".")[2].strip("'\"") == "const"


def _descriptor(builder, name, names, block, padding):
    """A tensor descriptor of the host: its shape and strides are arguments."""
    sizes = {what: tuple(names.pop(f"{name}_{what}_{axis}") for axis in range(len(block))) for what in ("shape", "stride")}
    strides = tuple(semantics.cast(builder, one, _types.int64) if isinstance(one, Tensor) else one for one in sizes["stride"])
    return TensorDescriptor(names[name], sizes["shape"], strides, (0,) * len(block), block, padding)


def _diagnostic(error, function, place):
    file = function.__code__.co_filename
    line, column, end, end_column = place
    at = source.shown_name(file), source.known_text(file), line, column + 1, end, end_column + 1
    return message(error.name, error.what, at=at, help=error.help)


def _launch_names(top, emitter):
    """The names of the block indices and of the extents of the grid."""
    named = {}

    def visit(region):
        for op in region.ops:
            if op.kind == "program_id" and op.name:
                named.setdefault(op.attrs["axis"], op.name)
            for inner in op.regions:
                visit(inner)

    visit(top)
    for axis in range(3):
        emitter.launch["program_id", axis] = emitter.unique.new(named.get(axis, f"pid_{axis}"))
        emitter.launch["num_programs", axis] = emitter.unique.new(f"grid_{axis}")
    return emitter.launch


class _Scope:
    """The names of a tile program that it does not bind."""

    names = None

    def lookup(self, name):
        if _Scope.names is None:
            from .. import language

            _Scope.names = {"_T": language, "_inf": float("inf"), "_nan": float("nan")}
        return _Scope.names[name]


def tile_program(name, node, signature, program, options, target):
    """The tile program: (line of text, its place in the user's source) of each line."""
    lines, launch, memories, added = program
    place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    ids = [launch["program_id", axis] for axis in range(3)]
    grid = [launch["num_programs", axis] for axis in range(3)]
    first = (node.lineno, node.col_offset, node.lineno, node.col_offset + len(f"def {node.name}"))
    declared = {one.arg: (one.lineno, one.col_offset, one.end_lineno, one.end_col_offset)
                for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    parameters = []
    for one in signature.order:
        if one in signature.pointers:
            parameters.append((one, _tensor_type(one, signature.pointers[one][0])))
        elif one in signature.scalars:
            parameters.append((one, f"_T.{signature.scalars[one][0].tile}"))
    parameters += [(memory.name, _tensor_type(memory.name, memory.element)) for memory in added.values()]
    parameters += [(one, "_T.int32") for one in grid]
    threads = 32 * (options.get("num_warps") or 4)
    kernel = Line(f"with _T.Kernel({', '.join(grid)}, threads={threads}) as ({', '.join(ids)}):", first, lines or [Line("pass", place)])
    yield f"def {name}(", first
    for one, annotation in parameters:
        yield f"{one}: {annotation},", declared.get(one, first)
    yield "):", first
    for line in (*_facts(signature, memories, added, first, target), kernel):
        yield from line.rows(1)


def _tensor_type(name, dtype):
    return f'_T.Tensor((_T.dynamic("{name}_size"),), "{dtype.tile}")'


def _facts(signature, memories, added, place, target):
    """What is known of the arguments, which each call checks. The program does not ask for pipelines and matrix instructions itself."""
    yield Line('_T.allow("slow-fallback", "layout-conversion")', place)
    if target != "cpu":  # code for the CPU runs in the program's own process
        yield Line('_T.annotate_pass_configs({"tilelab.guards": False})', place)
    for name, (_, divisible, positive) in signature.scalars.items():
        if divisible:
            yield Line(f"_T.assume({name} % 16 == 0)", place)
        if positive:
            yield Line(f"_T.assume({name} > 0)", place)
    shared = {}
    for name, (_, group) in signature.pointers.items():
        shared.setdefault(group, []).append(name)
    for name, memory in added.items():
        shared.setdefault(memory.group, []).append(name)
    names = [name for group in shared.values() if len(group) > 1 for name in group]
    if names:
        yield Line(f"_T.annotate_restrict_buffers({', '.join(names)})", place)
    if once := [f"{name}: 0" for name, memory in memories.arguments.items() if memory.policies == {"evict_first"}]:
        yield Line(f"_T.annotate_l2_hit_ratio({{{', '.join(once)}}})", place)


def compile_function(function, signature, options, target, recorded):
    """(function of the IR, {argument with addresses: the memory to which they point}, [(name of an argument, dtype to which it is cast)]);
    raises CompileError, or NeedsConstant for an argument that has to be a compile-time value."""
    node = source.known(function, lambda one: one).seen
    text, file_id, _ = source._parsed(function.__code__)
    scope = source.Scope(function)
    with compiling(function.__name__):
        program = program_of(function, node, scope, signature, options, recorded)
        lines, places = zip(*tile_program(function.__name__, node, signature, program, options, target))
        made = source.parsed("\n".join(lines)).body[0]  # at once: parsing a line at a time takes four times as long
        before = bridge.recording(None)
        try:
            result = _core.elaborate(_core.convert(made, file_id, places), _Scope(), name=function.__name__, target=target)
        finally:
            bridge.recording(before)
    refuse(result["diagnostics"])
    memories = program[2]
    return result["func"], memories.tables, list(memories.casts)


__all__ = ["NeedsConstant", "Signature", "compile_function"]
