# SPDX-License-Identifier: Apache-2.0
"""Calls of a kernel on a GPU."""

import time

from .. import _core
from .._compiler import records, settings
from .._compiler.errors import KernelError, UsageError, refuse
from .._compiler.messages import message
from .._gpu import devices
from . import arguments, code_callbacks, progress, watched
from .registry import known

launches = 0  # in this process, for timing reports


def function_of(kernel, gpu, aligned=()):
    """The kernel's code for a GPU and the flat IR that it was generated from, made once per number of processors and `aligned`: the
    dynamic extents that align rows (core/host/row_multiples.h)."""
    processors = _core.gpu.processors(kernel._func, *gpu)
    if (key := (processors, aligned)) not in kernel._on_gpu:
        devices.find_compiler()
        flat = kernel._flat_for(processors, aligned)
        if flat is None:  # a decision that alignment allows does not fit this kernel
            kernel._on_gpu[key] = function_of(kernel, gpu)
            return kernel._on_gpu[key]
        made, said = _core.gpu.make(flat, lambda text: code_callbacks.changed(text, kernel.target))
        refuse(said)
        kernel._on_gpu[key] = made, flat
    return kernel._on_gpu[key]


def _aligned(kernel, described):
    """The dynamic extents that make this call's rows aligned."""
    return tuple(kernel._func.aligned_dims(described)) if kernel._row_dims else ()


def call(kernel, values, gpu, stream=None):
    """Runs `kernel(*values)` on a GPU, preferably that of the tensors. `stream`: of torch, or its address, instead of the current one."""
    if gpu.in_worker and stream is not None:
        raise UsageError(message("argument-keyword", kernel.name, "'stream'", note=f"the kernel runs on {gpu}, in a worker process; "
                                 "streams belong to this process", help="remove it; or use %device cuda"))
    described, arrays, views = arguments.describe(kernel, values, gpu)
    entry, start = known(kernel), time.perf_counter()
    try:
        code = _launch(kernel, described, arguments.gpu_of(views, gpu), getattr(stream, f"{gpu.vendor}_stream", stream))
    except BaseException as error:
        entry.status = "findings" if getattr(error, "findings", None) else type(error).__name__
        raise
    entry.last_run, entry.status = time.perf_counter() - start, "ran"
    if not gpu.in_worker:
        if code not in kernel._repeats:
            kernel._repeats[code] = _core.gpu.quick_call(kernel._func, code, kernel._returns_tuple)
        kernel._repeat_on = settings.device
    return kernel._results(values, arrays)


def _launch(kernel, described, gpu, stream):
    """Runs the kernel; returns its code. Raises its errors."""
    global launches
    launches += 1
    watched.check(kernel, described)
    with progress.Progress(f"kernel {kernel.name}", "on the GPU") as step:
        code, func = function_of(kernel, gpu, _aligned(kernel, described))
        result = code.run(described, *gpu, devices.stream(gpu) if stream is None else stream, progress=step)
    records.show(func, result)
    if result["raised"] is not None:
        how = (f"whose worker ended: arrays on {gpu.vendor} are lost, and the next call restarts it" if gpu.in_worker
               else "which continues on the GPU until it or this process ends")
        result["raised"].args = (f"kernel {kernel.name}, {how}",)
        raise result["raised"]
    arguments.raise_if_refused(kernel.name, result)
    if result["findings"]:
        records.report_assertions(func, result)
        raise KernelError(kernel.name, result["findings"], _core.views.findings([(func.level, result)]))
    return code
