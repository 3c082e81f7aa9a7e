# SPDX-License-Identifier: Apache-2.0
"""Runs an operator's kernels: compiles each for its constants once, and leaves them out where only shapes are wanted."""

import contextlib
import copy
import functools
import sys
import threading
import warnings

import numpy

from .._compiler import dtypes, settings
from .._compiler.errors import ArgumentError, CompileError, UsageError
from .._compiler.kernel_warnings import TilelabWarning
from .._gpu.targets import target_name
from ..jit import jit
from ..tensors import made_by

__all__ = ["block", "choose", "fitted", "halved", "jit", "launch", "named", "per_target", "recording", "runs", "without_kernels"]

quiet = True  # no warnings about the code of operators, which their callers cannot change; tests turn it off


class _State(threading.local):
    off = 0  # contexts of without_kernels() around this call
    recorded = None  # the list of recording()


_state = _State()
_compiled = {}  # (factory, target, device, constants): kernel
_targets = {}  # (target, device) of the settings: name


def runs():
    """Whether launch() runs kernels, which is not so where torch asks for shapes only."""
    return not _state.off


@contextlib.contextmanager
def without_kernels():
    """Operators return results without values: the fake implementation of every operator."""
    _state.off += 1
    try:
        yield
    finally:
        _state.off -= 1


@contextlib.contextmanager
def recording():
    """Yields a list, to which each kernel that runs adds (kernel, arguments)."""
    _state.recorded = recorded = []
    try:
        yield recorded
    finally:
        _state.recorded = None


def launch(factory, *tensors, **constants):
    """Compiles the kernel that `factory(**constants)` returns, unless that was done before, and runs it on the tensors."""
    if not runs():
        return
    key = (factory, settings.target, settings.device, *constants, *constants.values())
    kernel = _compiled.get(key)
    if kernel is None:
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore", TilelabWarning)
            kernel = _compiled[key] = _made(factory, constants)
    if _must_be_deterministic() and "float" in constants.get("dtype", "float") and _adds_atomically(kernel):
        _report_order(kernel)
    shapes = [getattr(tensor, "shape", ()) for tensor in tensors]
    made_by.launched(kernel, shapes)
    if _state.recorded is not None:
        _state.recorded.append((kernel, tensors))
    for shape in shapes:
        if 0 in shape:
            return _launch_empty(kernel, key, factory, tensors, constants)
    try:
        kernel(*tensors)
    except ArgumentError:
        copies = _accepted(kernel, tensors)
        if copies is None:
            raise
        kernel(*copies)


WITHOUT_ENGINE = {"tl.disable_tma_lower": True}


def _made(factory, constants):
    """The kernel of a factory; without the copy engine where that cannot copy a tile, such as one with rows of more than 1024 bytes."""
    try:
        return factory(**constants)
    except CompileError as error:
        try:
            return factory.with_pass_configs(WITHOUT_ENGINE)(**constants)
        except CompileError:
            raise error from None


def _must_be_deterministic():
    """Whether torch.use_deterministic_algorithms is on."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.are_deterministic_algorithms_enabled()


@functools.lru_cache(None)
def _adds_atomically(kernel):
    return "atomic_add" in kernel.script()


def _report_order(kernel):
    """Raises UsageError for a kernel whose sums depend on the order of blocks, or warns, as torch does."""
    text = (f"{kernel.name} adds floats atomically, so that the last bits of its sums differ between calls, but "
            "torch.use_deterministic_algorithms(True) is set; turn it off for this call, or pass warn_only=True")
    if not sys.modules["torch"].is_deterministic_algorithms_warn_only_enabled():
        raise UsageError(text)
    warnings.warn(text, stacklevel=4)


def _accepted(kernel, tensors):
    """The arguments with row-major copies of the tensors that the kernel reads, and with tensors of torch in host memory as arrays of NumPy,
    which a GPU's runtime copies; None where all are so already. Operators whose tensors usually have other strides make the copies
    themselves: an argument that a kernel rejects costs an exception."""
    written = kernel._written_inputs[0]
    copies = [tensor if i in written else _row_major(tensor) for i, tensor in enumerate(tensors)]
    if kernel._gpu() is not None:
        copies = [_in_host_memory(copy) for copy in copies]
    return None if all(copy is tensor for copy, tensor in zip(copies, tensors)) else copies


def _row_major(x):
    """A row-major copy of a tensor of torch or NumPy; others as they are."""
    if isinstance(x, numpy.ndarray):
        return x if x.flags.c_contiguous else numpy.ascontiguousarray(x)
    return x.contiguous() if hasattr(x, "contiguous") else x


def _in_host_memory(x):
    """The array of NumPy with the memory of a tensor of torch that is not on a GPU; others as they are."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(x, torch.Tensor) or x.device.type != "cpu":
        return x
    bits = x.detach().reshape(x.shape or (1,)).view(getattr(torch, f"int{8 * x.element_size()}"))
    return bits.numpy().view(dtypes.dtype(dtypes.name_of(x.dtype)).as_numpy()).reshape(x.shape)


def _launch_empty(kernel, key, factory, tensors, constants):
    """A call with an empty tensor. Where all tensors that the kernel writes are empty, or it adds nothing to them, the grid may have no
    block. Others get their values from a kernel without the copy engine, which cannot describe an empty tensor."""
    if all(0 in tensors[i].shape for i in kernel._written_inputs[0]):
        return
    key = ("empty", *key)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TilelabWarning)
        if key not in _compiled:
            _compiled[key] = factory.with_pass_configs(WITHOUT_ENGINE)(**constants)
        kernel = _compiled[key]
        try:
            kernel(*(_accepted(kernel, tensors) or tensors))
        except ArgumentError as error:
            if not getattr(error, "no_block", False):
                raise


def current_target():
    """The name of the target of kernels that are compiled now."""
    key = settings.target, settings.device
    name = _targets.get(key)
    if name is None:
        name = _targets[key] = target_name(None)
    return name


def per_target(function):
    """The function of hashable arguments, called once for each target: a call of an operator looks its configuration up."""
    known = {}

    @functools.wraps(function)
    def looked_up(*args):
        if not runs():  # no kernel has the configuration; torch's symbols of dynamic extents have no hash, and comparing them would fix them
            return function(*(arg if isinstance(arg, (int, str, float, tuple, dict)) else 1 for arg in args))
        key = current_target(), *args
        if key not in known:
            if len(known) > 4096:
                known.clear()
            known[key] = function(*args)
        return known[key]

    return looked_up


def choose(table):
    """The configuration of the current target from {"sm_90a": {...}, "mp_31": {...}, "": {...}}: the longest name that it starts with."""
    target = current_target()
    return table[max((name for name in table if target.startswith(name)), key=len)]


SHARED = {"sm_90": 232448, "sm_80": 166912, "mp_31": 196608, "mp_22": 65536, "cpu": 1 << 20, "": 101376}  # bytes of a block


def fitted(table, size_of):
    """The target's configuration, with fewer stages and then smaller tiles until `size_of(tile)` bytes fit into shared memory."""
    tile, limit = dict(choose(table)), choose(SHARED) - 4096
    while size_of(tile) > limit:
        name = "stages" if tile.get("stages", 1) > 1 else max(("BN", "BM"), key=tile.get)
        if name != "stages" and tile[name] <= 16:
            break
        tile[name] = tile[name] - 1 if name == "stages" else tile[name] // 2
    return tile


def halved(start, size_of):
    """The largest of `start`, start / 2, start / 4, ... with `size_of` it bytes that fit into shared memory of the current target."""
    limit = choose(SHARED) - 4096
    while start > 1 and size_of(start) > limit:
        start //= 2
    return start


def block(extent, most):
    """The smallest power of two that is at least `extent`, and at most `most`: a tile that wastes few elements of a small tensor."""
    extent = int(extent)
    return min(1 << max(extent - 1, 0).bit_length(), most)


def named(factory, name):
    """The factory under another name, which its kernels get: one template of kernels serves many operators."""
    made = copy.copy(factory)
    made.__name__ = made.__qualname__ = name
    made._cache, made._signatures, made._variants, made._recent = {}, {}, {}, ()
    return made
