# SPDX-License-Identifier: Apache-2.0
"""A compiled kernel: its code for every device, its calls, its IR at each level."""

import time

from .. import _core
from .._compiler import compile_mode, records, settings
from .._compiler.errors import ArgumentError, CompileError, KernelError, UsageError, compiling, is_internal, refuse
from .._compiler.kernel_warnings import show_warnings
from .._compiler.messages import message
from .._compiler.untraced import exclude_frames, untraced
from .._gpu import devices
from .._redirect import of_call
from . import arguments, autograd, code_callbacks, gpu_launch, last_failure, not_finite, profiled, progress, watched
from .params import KernelParam
from .registry import known
from .shown import PassStep


def launch(kernel, described, func=None, **watch):
    """Runs a kernel on the chosen device, or `func`, its form at some level; raises the findings."""
    runner = func or kernel._runner()
    compiled = runner is kernel._native
    progress.launches += not compiled
    if not watch and watched.begins(kernel, runner, described):  # otherwise the caller decides what is watched
        watch["watching"] = True
    with progress.Progress(f"kernel {kernel.name}", "compiled" if compiled else "simulated") as step:
        result = runner.run(described, progress=step, not_finite=not kernel._warned_not_finite, **watch)
    judge(kernel, kernel._at_level("flat") if compiled else runner, result)


def judge(kernel, func, result):
    """Shows the prints of a run of `func` and raises its findings; None: nothing ran."""
    if result is None:
        return
    records.show(func, result)
    arguments.raise_if_failed(kernel.name, result)
    if result["findings"]:
        records.report_assertions(func, result)
        last_failure.keep(kernel, func.level, result)
        shown = _core.views.findings([(func.level, result)])
        raise KernelError(kernel.name, result["findings"], shown)
    show_warnings(result.get("warnings", ()), kernel._identity, kernel._func)
    kernel._warn_not_finite(result["not_finite"])


_TILE_LEVEL = ("auto", "sim", "sim:tile")  # devices that run the kernel's own IR
before_call = None  # a debugger sets it to stop in the kernel: called with the kernel and the arguments
launcher = None  # replaces `launch`: `tilelab check` sets it to watch all kernels


class Kernel:
    """A specialised kernel: `k(*inputs)` runs it and returns its outputs. JITKernel (jit) adds the tools for users."""

    def __init__(self, func, returns_tuple=False, kernel_name=None, identity=None):
        exclude_frames()
        self._func = func
        self._identity = identity or func.text  # of its source, for warnings
        self.name = kernel_name or func.name
        self._raw_params = func.params
        self.params = [KernelParam(p["dtype"], p["shape"], p["name"]) for p in self._raw_params]
        self._outputs = list(func.outputs)
        self.out_idx = list(self._outputs) or None
        self._returns_tuple = returns_tuple
        self._snapshots = self._native = None
        self._row_dims = func.row_dims
        self._on_gpu = {}  # gpu_launch.function_of
        self._repeats, self._repeat_on = {}, None  # fast paths for calls like earlier ones on a GPU, by their code, and its device
        self._entry = None  # in the registry
        self._warned_not_finite = self._warned_gradient = False
        self._written_inputs = autograd.written_inputs(self)
        self._watched = set()  # sizes of the checked calls
        self.target = func.target
        self._latency = self.config = self.ref_latency = None  # set by the tuner
        self._compilation = self._compile()
        self._quick = _core.quick_call(func, returns_tuple)

    def _compile(self):
        """Runs all passes. Errors are raised here, when the kernel is made, for all devices; warnings are shown once."""
        compile_mode.require_kernel(self.name)
        try:
            with compiling(self.name):
                made = self._func.compile()
        except RuntimeError as error:
            if is_internal(error):
                self._report_crash(error)
            raise
        said = made.diagnostics
        refuse(said)
        asked = [d for d in said if d["name"] == "option-ignored" and "`use_tma`" in d["message"]]
        if asked and self.target == "cpu":  # as in TileLang: the copy engine is requested on a target without one
            raise CompileError(asked)
        show_warnings(said, self._identity, self._func)
        return made

    def __getattr__(self, name):
        """Explains a missing attribute; a buffer is shown by .layout()."""
        hint = ""
        if not name.startswith("_") and name in known(self).pipeline().buffers:
            hint = f"; its buffer {name} is shown by .layout({name!r}) and %layout"
        raise AttributeError(f"a kernel has no {name}{hint}", name=name, obj=self)

    def _report_crash(self, error, values=None):
        """Called on an internal error, with the values of the call if there was one."""

    # --- running -----------------------------------------------------------------------------------

    @untraced
    def __call__(self, *values, **options):
        if not options and (made := self._again(values)) is not NotImplemented:
            return made
        if profiled.active():
            with profiled.recorded(self.name):
                made = self._call(values, options)
        else:
            made = self._call(values, options)
        autograd.raise_versions(self, values)
        return of_call(values, made)

    def _call(self, values, options):
        if before_call is not None:
            before_call(self, values)
        autograd.warn_of_lost_gradient(self, values)
        gpu = self._gpu()
        if gpu is not None and options.keys() <= {"stream"}:
            return gpu_launch.call(self, values, gpu, **options)
        options.pop("stream", None)
        if options:
            names = ", ".join(p["name"] for p in self._raw_params)
            raise ArgumentError(message("argument-keyword", self.name, repr(next(iter(options))),
                                        help=f"pass its arguments in this order: {names}"))
        start = time.perf_counter()
        if launcher is None and settings.device in _TILE_LEVEL and self.target != "cpu":
            if (quick := self._quick.run(values, not self._warned_not_finite)) is not None:
                progress.launches += 1
                self._run(values, start, judge, self._func, quick[0])
                return quick[1]
        described, arrays, _ = arguments.describe(self, values)
        self._run(values, time.perf_counter(), launcher or launch, described)
        return self._results(values, arrays)

    def _again(self, values):
        """The result of a call like an earlier one on a GPU; NotImplemented for others, and for calls that a profiler records."""
        if settings.device is self._repeat_on and launcher is None and before_call is None and not profiled.active():
            for repeat in self._repeats.values():
                if (made := repeat(values)) is not NotImplemented:
                    autograd.raise_versions(self, values)
                    return made
        return NotImplemented

    def _results(self, given, arrays):
        """The outputs that a call allocated: one array, or a list."""
        made = [arrays[i] for i in self._outputs] if len(given) < len(arrays) else []
        if not made:
            return None
        return made if self._returns_tuple or len(made) > 1 else made[0]

    def _run(self, given, start, work, *values):
        entry = known(self)
        try:
            work(self, *values)
        except BaseException as error:
            if getattr(error, "findings", None) or is_internal(error):
                last_failure.call = self, given
            if is_internal(error):
                self._report_crash(error, given)
            entry.status = "findings" if getattr(error, "findings", None) else type(error).__name__
            raise
        entry.last_run, entry.status = time.perf_counter() - start, "ran"

    def _warn_not_finite(self, found):
        """Warns of outputs with NaN or infinity that no input had: one line, once per kernel source."""
        if not found:
            return
        self._warned_not_finite = True
        if found[0]["way"]:
            return  # a warning of the watched blocks has reported it, with its line
        show_warnings([not_finite.message_of(self.name, found[0])], self._identity, self._func, by="name")

    def _runs_compiled(self):
        device = settings.device.partition(":")[0]
        return self.target == "cpu" and (device == "cpu" or device == "auto" and bool(_core.native_compiler()))

    def _runner(self):
        """The function to run on the chosen device: the kernel at a simulator level, or its native code."""
        device, _, level = settings.device.partition(":")
        if self._runs_compiled():
            return self._compiled_here()
        if device not in ("auto", "sim"):
            raise RuntimeError(f"device {device} cannot run code for target {self.target}; %device sim can")
        return self._func if level in ("", "tile") else self._at_level(level)

    def _compiled_here(self):
        if self._native is None:
            if not compile_mode.allows_code():
                compile_mode.refuse(f"kernel {self.name} has no machine code for this CPU yet", "call it once before compilation is disabled; "
                                    "or use %device sim; or export it: kernel.export_library(\"k.so\")")
            with compiling(self.name), progress.Progress(f"kernel {self.name}") as step:
                self._native, said, problem = _core.compile_native(self._at_level("flat"), progress=step)
            refuse(said)
            if self._native is None:
                raise UsageError(message("native-compiler", self.name, problem, help=(
                    "install g++ 12, clang++ 15 or newer, or set TILELAB_CXX; %device sim needs no compiler")))
        return self._native

    def _gpu(self):
        """The GPU of calls, or None. A driver is loaded only when a kernel could use it."""
        return devices.runs(self.target) if launcher is None else None

    @property
    def execution_backend(self):
        """The backend of a call: "simulator", a GPU's "cuda" or "musa", or "cpu". TileLang names its bridge to compiled code here."""
        if (gpu := self._gpu()) is not None:
            return gpu.vendor
        return "cpu" if self._runs_compiled() else "simulator"

    # --- its forms ---------------------------------------------------------------------------------

    def _all_snapshots(self):
        if self._snapshots is None:
            self._snapshots = [PassStep(s) for s in self._compilation.snapshots()]
        return self._snapshots

    def _at_level(self, level, blocks_stay=True):
        """`blocks_stay`: allow persistent blocks if the schedule has them; otherwise each tile has a block."""
        snapshots = self._all_snapshots()
        if not blocks_stay and any(r.startswith("persistent blocks:") for s in snapshots for r in s["reasons"]):
            snapshots = self._snapshots_for(processors=0)
        if not (found := [s["func"] for s in snapshots if s["func"].level == level]):
            raise RuntimeError(f"kernel {self.name} has no level {level!r}: tile, thread, flat")
        return found[-1]

    def _snapshots_for(self, processors):
        """Compiles with a schedule for that number of GPU processors; 0: one block per tile."""
        return self._func.changed(configs={"tilelab.processors": processors}).compile().snapshots()

    def _flat_for(self, processors, aligned):
        """The flat IR for that number of GPU processors (0: the target's), and for calls in which the dynamic extents `aligned` make rows
        start at multiples of 16 bytes. None if it does not compile with them."""
        if not aligned:
            return self._snapshots_for(processors)[-1]["func"] if processors else self._at_level("flat")
        func = self._func.with_multiples(aligned)
        made = (func.changed(configs={"tilelab.processors": processors}) if processors else func).compile()
        return None if any(d["error"] for d in made.diagnostics) else made.snapshots()[-1]["func"]

    def get_kernel_source(self, kernel_only=True):
        """The generated code for this kernel's target."""
        source, diagnostics = _core.render(self._at_level("flat"), self.target, not kernel_only)
        refuse(diagnostics)
        show_warnings(diagnostics, self._identity, self._func)
        return code_callbacks.changed(source, self.target)

    def __repr__(self):
        shapes = ", ".join(f"{p.name}: {p.dtype}{p.shape if not p.scalar else ''}" for p in self.params)
        return f"<kernel {self.name}({shapes}) for {self.target}>"
