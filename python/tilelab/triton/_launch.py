# SPDX-License-Identifier: Apache-2.0
"""@triton.jit: specialisations of a function by the arguments of its calls, and launches over a grid."""

import ast
import functools
import hashlib
import inspect
import re
import textwrap
import types

from .._compiler import source
from .._compiler.errors import UsageError
from .._compiler.messages import message
from .._compiler.untraced import untraced
from .._gpu.targets import target_name
from .._kernel.registry import known, remember
from ..jit import JITKernel
from ..jit._captures import Captures, key_of
from . import _types
from ._addresses import Packed
from ._compiled import CompiledKernel
from ._compile import NeedsConstant, Signature, compile_function
from ._quick import Launches, Remembered, key_of as quick_key
from ._storage import around, as_elements, storage_of
from ._types import unwrapped
from .tools.tensor_descriptor import TensorDescriptor

_OPTIONS = {"num_warps": 4, "num_stages": 3}
# Options of Triton's compilers that do not change what a kernel computes.
_IGNORED = {"num_ctas", "maxnreg", "warmup", "device", "stream", "cluster_dims", "enable_fp_fusion", "waves_per_eu", "matrix_instr_nonkdim",
            "kpack", "allow_flush_denorm", "debug", "launch_cooperative_grid", "launch_pdl", "num_buffers_warp_spec",
            "num_consumer_groups", "reg_dec_producer", "reg_inc_consumer", "minRegAutoWS", "maxRegAutoWS", "pingpongAutoWS", "ir_override"}


class Launcher:
    """kernel[grid]: a call runs the kernel."""

    def __init__(self, function, grid):
        self.function, self.grid = function, grid
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    @untraced
    def __call__(self, *args, **kwargs):
        return self.function.run(*args, grid=self.grid, **kwargs)

    def compiled_call(self, args, kwargs):
        """(kernel, its arguments) of a call, without running it: for commands such as %check."""
        return self.function.prepared(args, kwargs, self.grid)


class KernelInterface:
    """What can be launched: kernel[grid](...)."""

    def __getitem__(self, grid):
        return Launcher(self, grid)


class JITFunction(KernelInterface):
    """A function of @triton.jit. In a kernel it is evaluated in place; `f[grid](...)` launches it."""

    def __init__(self, function, do_not_specialize=(), target=None):
        functools.update_wrapper(self, function)
        self.fn = self.func = self.block_function = function
        self.__globals__ = function.__globals__
        self.signature = inspect.signature(function)
        self.arg_names = list(self.signature.parameters)
        self.params = [_Parameter(name, p, i) for i, (name, p) in enumerate(self.signature.parameters.items())]
        self.constant_names = {p.name for p in self.params if p.is_constexpr}
        listed = {self.arg_names[one] if isinstance(one, int) else one for one in do_not_specialize or ()}
        self._annotated = {p.name: dtype for p in self.params if (dtype := _types.ALL.get(p.annotation.rpartition(".")[2]))}
        self.general = listed | {p.name for p in self.params if p.is_general}
        self.target, self._cache, self._added, self._launches = target, {}, {}, Launches()

    @functools.cached_property
    def src(self):
        """The text of the function without its decorators and indentation: generators write it into a new module."""
        text = textwrap.dedent(inspect.getsource(self.fn))
        return text[re.search(r"^def\s+\w+\s*\(", text, re.MULTILINE).start():]

    @functools.cached_property
    def cache_key(self):
        """A hash of the text of the function and of the kernels' functions that it calls."""
        return hashlib.sha256("\n".join(one.src for one in _called(self)).encode()).hexdigest()

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.__name__} is a kernel: launch it over a grid, {self.__name__}[grid](...)")

    @untraced
    def run(self, *args, grid, warmup=False, **kwargs):
        """Launches the kernel; returns the compiled kernel."""
        options = {name: kwargs[name] for name in _OPTIONS if name in kwargs and name not in self.signature.parameters}
        packed = []
        kernel, values = self.prepared(args, kwargs, grid, packed)
        if not warmup and 0 not in values[len(values) - 3:]:
            kernel(*values)
            for one in packed:
                one.copy_back()
        return CompiledKernel(kernel, self, options)

    def warmup(self, *args, grid, **kwargs):
        """Compiles the kernel for these arguments without running it."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def prepared(self, args, kwargs, grid, packed=None):
        """(kernel, its arguments) of a call; the memory of tables of addresses is added to `packed`."""
        if (key := quick_key(args, kwargs)) is not None:
            key = *key, target_name(self.target)
            if (known := self._launches.find(key)) is not None:
                return known.kernel, [*known.values(args, kwargs), *self._grid(grid, lambda: known.meta(args, kwargs))]
        named, kwargs = kwargs, dict(kwargs)
        options = {name: kwargs.pop(name, default) for name, default in _OPTIONS.items() if name not in self.signature.parameters}
        if (warps := unwrapped(options.get("num_warps")) or 4) < 1 or warps & (warps - 1):
            raise UsageError(f"{self.__name__}: num_warps={warps} must be a power of 2, such as 4")
        for name in _IGNORED - set(self.signature.parameters):
            kwargs.pop(name, None)
        bound = self._bind(args, kwargs)
        values, tuples = _items({name: unwrapped(value) for name, value in bound.items()})
        values, descriptors, shifted = _expanded(values)
        storages = {name: found for name, value in values.items() if (found := storage_of(value)) is not None}
        kernel, order = self._specialised(values, options, (descriptors, tuples, shifted), storages)
        given = {name: storages[name].array if name in order.pointers else values[name] for name in order.order
                 if name in order.pointers or name in order.scalars}
        memories = {}
        tables, casts = self._added.get(kernel, ({}, []))
        for name, memory in tables.items():
            one = Packed(name, given[name], memory.element, given[name].device)
            given[name], memories[memory.name] = one.table, one.memory
            if packed is not None:
                packed.append(one)
        known = {**given, **memories}
        added = [*memories.values(), *(as_elements(name, known[name], dtype) for name, dtype in casts)]
        if key is not None and not added:
            self._remember(key, kernel, args, named, given, {**values, **options}, order)
        return kernel, [*given.values(), *added, *self._grid(grid, lambda: {**values, **options})]

    def _remember(self, key, kernel, args, kwargs, given, rest, order):
        places = []
        for name in given:
            index = self.arg_names.index(name)
            if index >= len(args) and name not in kwargs:
                return  # a default
            places.append((index if index < len(args) else name, name in order.pointers))
        captures = next(found[1] for found in self._cache.values() if found[0] is kernel)
        plain = {name: value for name, value in rest.items() if name not in given}
        self._launches.keep(key, Remembered(kernel, captures, places, self.arg_names, plain))

    def _bind(self, args, kwargs):
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            call = f"{self.__name__}[grid]{self.signature}"
            strange = [name for name in kwargs if name not in self.signature.parameters]
            if strange:
                raise UsageError(message("argument-keyword", self.__name__, strange[0], help=f"call it as {call}")) from None
            raise TypeError(f"{self.__name__}: {error}; call it as {call}") from None
        bound.apply_defaults()
        return bound.arguments

    def _grid(self, grid, meta):
        if callable(grid):
            grid = grid(meta())
        grid = grid if isinstance(grid, (tuple, list)) else (grid,)
        grid = [int(unwrapped(one)) for one in grid]
        if not 1 <= len(grid) <= 3 or min(grid) < 0:
            raise UsageError(f"{self.__name__}: the grid {tuple(grid)} has to consist of 1 to 3 numbers that are not negative")
        return grid + [1] * (3 - len(grid))

    # --- specialisation ---------------------------------------------------------------------------------

    def _specialised(self, values, options, parts, storages):
        """(kernel, signature) for the types of the arguments, made at the first call with them."""
        signature = self._signature(values, parts, storages)
        while True:
            key = signature.key(), key_of(options), target_name(self.target)
            if (found := self._cache.get(key)) is not None:
                if not (stale := found[1].changed()):
                    return found[0], signature
                print(f"{self.__name__}: compiled again, because {', '.join(dict.fromkeys(stale))} changed")
            try:
                return self._compile(key, signature, options), signature
            except NeedsConstant as needed:
                self.constant_names.add(needed.name)
                signature = self._signature(values, parts, storages)

    def _compile(self, key, signature, options):
        recorded = []
        func, *added = compile_function(self.func, signature, options, target_name(self.target), recorded)
        kernel = JITKernel(func, kernel_name=self.__name__, identity=lambda: source.identity(self.func))
        remember(kernel, self, {name: value for name, value in signature.constants.items() if name in self.constant_names})
        self._added[kernel] = added
        self._cache[key] = kernel, Captures(self.func, recorded, {})
        return kernel

    def _signature(self, values, parts, storages):
        pointers, scalars, constants = {}, {}, {}
        for name, value in values.items():
            if name in self.constant_names or value is None:
                constants[name] = value
            elif isinstance(value, (bool, int, float)) or type(value).__module__ == "numpy" and value.shape == ():
                value = values[name] = value.item() if hasattr(value, "item") else value
                if type(value) is int and value == 1 and name not in self.general:
                    constants[name] = value
                else:
                    dtype = self._annotated.get(name) or _argument_dtype(value)
                    known = type(value) is int and name not in self.general
                    scalars[name] = dtype, known and value % 16 == 0, known and value > 0
            elif name in storages:
                pointers[name] = self._element(name, storages[name]), name
            else:
                constants[name] = value
        return Signature(list(values), self._grouped(storages, pointers), scalars, constants, *parts)

    def _element(self, name, storage):
        if (dtype := _types.of_tile(storage.dtype)) is None:
            raise UsageError(message("dtype-unsupported", storage.dtype, help=f"convert the argument {name} of {self.__name__}"))
        return dtype

    @staticmethod
    def _grouped(storages, pointers):
        """Arguments whose memory overlaps form one group."""
        ranges = sorted((storages[name].begin, storages[name].end, name) for name in pointers)
        groups, end, current = {}, None, None
        for low, high, name in ranges:
            current = current if end is not None and low < end else name
            end = high if end is None or current == name else max(end, high)
            groups[name] = current
        return {name: (dtype, groups[name]) for name, (dtype, _) in pointers.items()}

    def __repr__(self):
        return f"<triton kernel {self.__name__}{self.signature}>"


def _called(function):
    """A function of @triton.jit and those that it calls, by name or as attributes of modules, each once."""
    found, todo = {}, [function]
    while todo:
        one = todo.pop()
        if id(one) in found:
            continue
        found[id(one)] = one
        scope = source.Scope(one.func)
        for node in ast.walk(source.parsed(one.src)):
            if isinstance(value := _named(scope, node), JITFunction):
                todo.append(value)
    return list(found.values())


def _named(scope, node):
    """The value of a global or free variable, or of a module's attribute; None for other expressions."""
    try:
        if isinstance(node, ast.Name):
            return scope.lookup(node.id)
        if isinstance(node, ast.Attribute) and isinstance(module := _named(scope, node.value), types.ModuleType):
            return getattr(module, node.attr, None)
    except KeyError:
        pass
    return None


def _items(values):
    """(arguments, {name: (its type, number of items)}): a tuple with tensors or descriptors becomes its items, NAME__0, NAME__1, ..."""
    out, tuples = {}, {}
    for name, value in values.items():
        if not isinstance(value, tuple) or not _has_tensors(value):
            out[name] = value
            continue
        tuples[name] = type(value), len(value)
        items, inner = _items({f"{name}__{i}": unwrapped(item) for i, item in enumerate(value)})
        out |= items
        tuples |= inner
    return out, tuples


def _has_tensors(value):
    return any(isinstance(one, TensorDescriptor) or (_has_tensors(one) if isinstance(one, tuple) else storage_of(one) is not None)
               for one in value)


def _expanded(values):
    """(arguments, {name: (shape of a tile, padding)}, names of pointers with an offset): a tensor descriptor becomes its tensor, its shape and
    its strides; an object that begins inside of its base becomes the base's memory and the index of the first element."""
    out, descriptors, shifted = {}, {}, []
    for name, value in values.items():
        if isinstance(value, TensorDescriptor):
            out[name] = value.base
            descriptors[name] = tuple(map(unwrapped, value.block_shape)), value.padding
            for what, sizes in (("shape", value.shape), ("stride", value.strides)):
                out |= {f"{name}_{what}_{axis}": size for axis, size in enumerate(sizes)}
        elif _is_around(value) and (found := around(value)) is not None and found[1]:
            shifted.append(name)
            out |= {name: found[0], f"{name}__first": found[1]}
        else:
            out[name] = value
    return out, descriptors, shifted


def _is_around(value):
    return hasattr(value, "data_ptr") and type(value).__module__.partition(".")[0] != "torch"


def _argument_dtype(value):
    if isinstance(value, bool):
        return _types.int1
    if isinstance(value, float):
        return _types.float32
    return _types.int32 if -2**31 <= value < 2**31 else _types.int64 if value < 2**63 else _types.uint64


class _Parameter:
    def __init__(self, name, parameter, index):
        self.name, self.num, self.default = name, index, parameter.default
        text = parameter.annotation
        text = text if isinstance(text, str) else text.long_name if isinstance(text, _types.DType) else getattr(text, "__name__", "")
        self.annotation = text
        self.is_constexpr = "constexpr" in text
        self.do_not_specialize = self.is_general = "do_not_specialize" in text


__all__ = ["JITFunction", "KernelInterface", "Launcher", "known"]
