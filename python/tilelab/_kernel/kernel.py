# SPDX-License-Identifier: Apache-2.0
"""A compiled kernel: call it, look into it."""

import os
import time

from .. import _core
from .._compiler import arguments, records, settings
from .._compiler.errors import ArgumentError, CompileError, KernelError, UsageError, compiling, raise_if_ended, refuse
from .._compiler.host import message
from .._compiler.targets import target_name
from .._compiler.warned import show_warnings
from .._gpu import devices
from .._gpu import launch as on_gpu
from .._gpu.array import in_host_memory
from ..engine import callback
from ..engine.param import KernelParam
from . import not_finite, outside, progress
from .registry import known
from .shown import IRText, PassStep, PassTable, Picture, Shown


def launch(kernel, described, func=None, **watch):
    """Runs a kernel on the chosen device, or `func`, its form at some level; raises what the run found."""
    runner = func or kernel._runner()
    compiled = runner is kernel._native
    progress.launches += not compiled
    if not compiled:
        watch["outside"] = outside.looks(kernel, runner, described)
    with progress.Progress(f"kernel {kernel.name}", "compiled" if compiled else "simulated") as step:
        result = runner.run(described, progress=step, not_finite=not kernel._told_not_finite, **watch)
    judge(kernel, kernel._at_level("flat") if compiled else runner, result)


def judge(kernel, func, result):
    """Shows and raises what a run of `func` found; None: nothing."""
    if result is None:
        return
    records.show(func, result)
    raise_if_ended(kernel.name, result)
    arguments.raise_if_refused(kernel.name, result)
    if result["findings"]:
        from . import failed

        records.tell_assertions(func, result)
        failed.keep(kernel, func.level, result)
        shown = _core.views.findings([(func.level, result)])
        raise KernelError(kernel.name, result["findings"], shown)
    show_warnings(outside.messages_of(result), kernel._identity)
    kernel._tell_not_finite(result["not_finite"])


_TILE_LEVEL = ("auto", "sim", "sim:tile")  # devices that run a kernel's own IR
launcher = None  # what runs kernels in place of `launch`: `tilelab check` watches them


class _Making(type):
    """`JITKernel(prim_func, out_idx=..., target=...)` compiles, as TileLang's does; here, functions of the IR are given."""

    def __call__(cls, func, *args, **kwargs):
        if isinstance(func, _core.Func):
            return super().__call__(func, *args, **kwargs)
        return of_prim_func(func, *args, **kwargs)


of_prim_func = None  # tilelang.compile, which is made of kernels


class JITKernel(metaclass=_Making):
    """A specialised kernel. `k(*inputs)` runs it and returns its outputs."""

    def __init__(self, func, returns_tuple=False, kernel_name=None, identity=None):
        self._func = func
        self._identity = identity or func.text  # what its source is, for warnings
        self.name = kernel_name or func.name
        self._raw_params = func.params
        self.params = [KernelParam(p["dtype"], p["shape"], p["name"]) for p in self._raw_params]
        self._outputs = list(func.outputs)
        self.out_idx = list(self._outputs) or None
        self._returns_tuple = returns_tuple
        self._snapshots = self._native = None
        self._on_gpu = {}  # its code there, by the number of processors; 0: as its target's record says
        self._repeat = self._repeat_on = None  # calls like one before on a GPU, and the device they are for
        self._entry = None  # its name, in the registry
        self._told_not_finite = False
        self._looked = set()  # shapes of calls that told what they access outside of a tensor
        self.target = func.target
        self._latency = self.config = self.ref_latency = None  # what a tuner found
        self._compilation = self._compile()
        self._quick = _core.QuickCall(func, returns_tuple)

    @property
    def latency(self):
        """Milliseconds of a run, if a tuner made the kernel; where nothing was timed, of one run, made now."""
        if callable(self._latency):
            self._latency = self._latency()
        return self._latency

    @latency.setter
    def latency(self, value):
        self._latency = value

    def _compile(self):
        """All passes. What they refuse is refused here, where the kernel is made, and runs on no
        device; what they warn of is shown here, once."""
        try:
            with compiling(self.name):
                made = self._func.compile()
        except RuntimeError as error:
            from . import reporting

            if reporting.is_internal(error):
                reporting.crashed(self.name, self._func, error)
            raise
        said = made.diagnostics
        refuse(said)
        asked = [d for d in said if d["name"] == "option-ignored" and "`use_tma`" in d["message"]]
        if asked and self.target == "cpu":  # as in TileLang: an engine is asked for where there can't be one
            raise CompileError(asked)
        show_warnings(said, self._identity)
        return made

    def __getattr__(self, name):
        """What a kernel does not have: a buffer is asked for by its layout."""
        hint = ""
        if not name.startswith("_") and name in known(self).pipeline().buffers:
            hint = f"; its buffer {name} is shown by .layout({name!r}) and %layout"
        raise AttributeError(f"a kernel has no {name}{hint}", name=name, obj=self)

    # --- running -----------------------------------------------------------------------------------

    def __call__(self, *values, **options):
        if self._repeat is not None and settings.device is self._repeat_on and launcher is None and not options:
            made = self._repeat(values)
            if made is not NotImplemented:
                return made
        gpu = self._gpu()
        if gpu is not None and options.keys() <= {"stream"}:
            return on_gpu.call(self, values, gpu, **options)
        options.pop("stream", None)
        if options:
            names = ", ".join(p["name"] for p in self._raw_params)
            raise ArgumentError(message("argument-keyword", self.name, repr(next(iter(options))),
                                        help=f"its arguments are {names}, in this order"))
        start = time.perf_counter()
        if launcher is None and settings.device in _TILE_LEVEL and self.target != "cpu":
            quick = self._quick.run(values, not self._told_not_finite)
            if quick is not None:
                progress.launches += 1
                self._run(values, start, judge, self._func, quick[0])
                return quick[1]
        described, arrays, _ = arguments.describe(self.name, self._raw_params, self._outputs, values)
        self._run(values, time.perf_counter(), launcher or launch, described)
        if len(values) == len(self._raw_params) and self._outputs:
            return None
        made = [arrays[i] for i in self._outputs]
        if not made:
            return None
        return made if self._returns_tuple or len(made) > 1 else made[0]

    def _run(self, given, start, work, *values):
        entry = known(self)
        try:
            work(self, *values)
        except BaseException as error:
            from . import reporting

            reporting.saw(error, self, given)
            entry.status = "findings" if getattr(error, "findings", None) else type(error).__name__
            raise
        entry.last_run, entry.status = time.perf_counter() - start, "ran"

    def _tell_not_finite(self, found):
        """Outputs with NaN or infinity that no input had: one line, once for a kernel's source."""
        if not found:
            return
        self._told_not_finite = True
        show_warnings([not_finite.message_of(self.name, found[0])], self._identity, by="name")

    def _runs_compiled(self):
        device = settings.device.partition(":")[0]
        return self.target == "cpu" and (device == "cpu" or device == "auto" and bool(_core.native_compiler()))

    def _runner(self):
        """What runs on the chosen device: the kernel at a level of the simulator, or compiled for this machine."""
        device, _, level = settings.device.partition(":")
        if self._runs_compiled():
            return self._compiled_here()
        if device not in ("auto", "sim"):
            raise RuntimeError(f"device {device} can't run code for target {self.target}; %device sim can")
        if not level and self._func.waits:
            level = "flat"  # at tile level each block runs to its end before the next begins
        return self._func if level in ("", "tile") else self._at_level(level)

    def _compiled_here(self):
        if self._native is None:
            with compiling(self.name), progress.Progress(f"kernel {self.name}") as step:
                self._native, said, problem = _core.compile_native(self._at_level("flat"), progress=step)
            refuse(said)
            if self._native is None:
                raise UsageError(message(
                    "native-compiler", self.name, problem,
                    help="install g++ 12, clang++ 15 or a newer one, or name one in TILELAB_CXX; %device sim needs none"))
        return self._native

    def check(self, *values, level=None, seconds=10, all=False, seed=0, exact=False, against=None):
        """Runs the kernel with every detector on, at tile and at thread level or at one of "tile",
        "thread", "flat". Where it is proved that blocks are alike some stand for all; else each
        level runs for `seconds`, which may be only a part of the blocks. `all`: every block,
        however long it takes. `seed`: another schedule, other blocks of the middle. The arguments keep their values. Raises KernelError on findings,
        else returns the report. `against`, a function of the inputs: with .compared beside it, whether the values are those of
        that reference. `exact`: with .exact, what float64 says of the same call, and how far that is from `against`."""
        from . import check as checking

        values = [in_host_memory(value) for value in values]
        described, _, _ = arguments.describe(self.name, self._raw_params, self._outputs, values)
        report = checking.check(self, described, known(self).full_name, level and (level,), 0 if all else seconds, seed)
        if not exact:
            from .against import CheckedAgainst, Compared

            return report if against is None else CheckedAgainst(report, Compared(self, described, against))
        from .exact import CheckedExactly, Exact

        return CheckedExactly(report, Exact(self, described, against))

    def trace(self, *values, block=(), level="", after="", buffer="", steps=None, at=None, launch=0, seed=0):
        """What one block of a call does: .events, numbered, with line, names and touched parts; .syncs, who arrives at
        and waits for rings and barriers; .at(n), the values behind event n. `steps` is a pair (from, to); `seed`, another
        schedule, such as one that check() names. The arguments keep their values."""
        from .trace import Recording, Trace
        from .trace_view import MomentView, TraceView

        values = [in_host_memory(value) for value in values]
        described, arrays, _ = arguments.describe(self.name, self._raw_params, self._outputs, values)
        recording = Recording(self, described, (arrays, values), block, level, known(self).full_name, after, launch, seed)
        return TraceView(Trace(recording, steps, buffer)) if at is None else MomentView(recording, at)

    def touched(self, buffer, *values, level="", after="", launch=0):
        """How many blocks of a call read and write each element of a tensor: .reads and .writes."""
        from .touched import Touched
        from .trace import Recording

        values = [in_host_memory(value) for value in values]
        described, arrays, _ = arguments.describe(self.name, self._raw_params, self._outputs, values)
        return Touched(Recording(self, described, (arrays, values), (), level, known(self).full_name, after, launch), buffer)

    def dbg(self, *values, block=(), level="", after="", thread=None, commands=(), launch=0, seed=0):
        """Steps through one block of a call with input() as pdb does, or with `commands`, a list of them; `seed` as of
        trace()."""
        from .debugger import Debugger
        from .trace import Recording

        values = [in_host_memory(value) for value in values]
        described, arrays, _ = arguments.describe(self.name, self._raw_params, self._outputs, values)
        recording = Recording(self, described, (arrays, values), block, level, known(self).full_name, after, launch, seed)
        Debugger(recording, None, thread).run(commands)

    def _gpu(self):
        """The GPU that calls go to, or None. A driver is asked for no sooner than a kernel could use it."""
        return devices.runs(self.target) if launcher is None else None

    def bench(self, *values, beside=None, runs=0):
        """Times a call: median and spread, GB/s, TFLOP/s, share of the roof; beside a function without arguments, if one
        is given."""
        from .bench import Bench

        return Bench(self, values, beside, getattr(beside, "__name__", "beside"), runs)

    def why(self, tensor, index, *values, depth=8):
        """The values and statements behind one element of a tensor that the kernel writes: `k.why("C", (3, 5), a, b)`."""
        from .why import Why

        return Why(self, tensor, index, [in_host_memory(value) for value in values], depth)

    def why_line(self, line):
        """What each pass made of a line of the source, and by which rule."""
        from .why_line import WhyLine

        return WhyLine(self, line)

    def report(self, *values, to=""):
        """Writes a script that makes this call again and fails as long as what the detectors find is there."""
        from .reporting import Report

        return Report(self, [in_host_memory(value) for value in values], to)

    def shrink(self, *values, against=None):
        """The smallest sizes and text with which this call still has its first finding, or (`against`, a function of the
        inputs) a wrong result."""
        from .shrink import Shrink

        return Shrink(self, [in_host_memory(value) for value in values], against)

    def banks(self, *values, line=0, buffer="", **extents):
        """How shared memory serves the kernel's own accesses: .rows by line and buffer, .buffers with the layouts that
        cure conflicts, .clean. Without values tensors of zeros are taken; extents of run time are then given by name."""
        from .banks import Banks

        return Banks(self, [in_host_memory(value) for value in values] if values else None, line, buffer, extents)

    def roof(self, *values, line=0, all=False, **extents):
        """What each line moves and computes and what bounds the kernel on its target's card: .lines, .totals, .limits,
        .bound, .hottest. Of a large grid some blocks run, and counts are scaled; `all`: every block. Without values
        tensors of zeros are taken; extents of run time are then given by name."""
        from .roof import Roof

        return Roof(self, [in_host_memory(value) for value in values] if values else None, line, extents, all)

    def versus(self, other, *values):
        """This kernel beside another one: shape, memory, layouts and code; with arguments bytes and time of a call as well."""
        from .versus import Versus

        return Versus(self, other, [in_host_memory(value) for value in values] if values else None)

    def bisect(self, *values, other=None, from_="", to=""):
        """Runs what each pass left on the same inputs (or this kernel and another one, pass by pass): the first pass and
        the first statement whose results differ."""
        from .bisect import Bisect

        return Bisect(self, other, [in_host_memory(value) for value in values], from_, to)

    def run_once(self):
        return self.get_profiler().run_once()

    @property
    def execution_backend(self):
        """Who runs a call: "simulator", "cuda" or "musa" for a GPU, or "cpu" for code that was compiled for this machine. TileLang
        names its bridge to compiled code here ("tvm_ffi", "cython", ...)."""
        gpu = self._gpu()
        if gpu is not None:
            return gpu.vendor
        return "cpu" if self._runs_compiled() else "simulator"

    # --- looking -----------------------------------------------------------------------------------

    @property
    def prim_func(self):
        return self._func

    def passes(self, stop_after=""):
        """The snapshots of all passes, from the elaborated function on."""
        snapshots = self._all_snapshots()
        if stop_after:
            snapshots = snapshots[:next((i for i, s in enumerate(snapshots, 1) if s["pass"] == stop_after), None)]
        # Few look at the table: most want a snapshot.
        return PassTable(snapshots, lambda: Shown(known(self).pipeline().passes()))

    def _all_snapshots(self):
        if self._snapshots is None:
            self._snapshots = [PassStep(s) for s in self._compilation.snapshots()]
        return self._snapshots

    def _at_level(self, level, blocks_stay=True):
        """`blocks_stay`: and take tile after tile, where the schedule says so; else each tile has its block."""
        snapshots = self._all_snapshots()
        if not blocks_stay and any(r.startswith("blocks stay:") for s in snapshots for r in s["reasons"]):
            snapshots = self._snapshots_for(processors=0)
        found = [s["func"] for s in snapshots if s["func"].level == level]
        if not found:
            raise RuntimeError(f"kernel {self.name} has no level {level!r}: tile, thread, flat")
        return found[-1]

    def _snapshots_for(self, processors):
        """With a schedule for a GPU of so many processors; 0: a block for each tile."""
        return self._func.changed(configs={"tilelab.processors": processors}).compile().snapshots()

    def ir(self, after="", spans=False, level=""):
        """The IR as elaborated, after a pass, or at a level ("tile", "thread", "flat")."""
        pipeline = known(self).pipeline()
        chosen = after or ("" if level else "elaborate")
        text = IRText(pipeline.text(chosen, level, spans))
        text.shown = Shown(pipeline.ir(chosen, level, spans))
        return text

    def layout(self, buffer, after="", element=None, thread=None, address=None, banks=False, window=()):
        """Who holds what of a buffer; `element`, `thread` and `address` (bytes) ask back. `window` is a pair (from, to)
        for each dimension: what of the picture is shown. `.svg` and `.latex` of the result are the picture elsewhere."""
        if element is not None:
            element = [element] if isinstance(element, int) else list(element)
        return Picture(known(self).pipeline().layout(buffer, after, element, thread, address, banks, list(window)))

    def compare_layout(self, buffer, other, other_buffer="", after=""):
        """Where a buffer's layout differs from that of another one, or of another kernel's."""
        a, b = known(self), known(other)
        names = (a.short_name, b.short_name) if a is b or a.short_name != b.short_name else (a.full_name, b.full_name)
        one = a.pipeline().layout_object(buffer, after).named(f"{names[0]}.{buffer}")
        two = b.pipeline().layout_object(other_buffer or buffer, after).named(f"{names[1]}.{other_buffer or buffer}")
        return Shown(one.compare(two))

    def diff(self, from_="", to="", other=None):
        """What the passes behind `from_`, up to `to`, changed; or how this kernel and another one, version or variant
        differ behind `to`."""
        if other is None:
            return Shown(known(self).pipeline().diff(from_, to))
        from .compared import compared

        return Shown(compared(known(self), known(other), to))

    def for_target(self, target):
        """This kernel, compiled for another target: what `%passes k --target sm_80` shows is
        `k.for_target("sm_80").passes()`."""
        return known(self).for_target(target_name(target)).kernel

    def map(self, line=0, after="", by_code=False, target=""):
        """Source, IR and generated code side by side; of one line of the source, or (`by_code`) with each line of the
        code beside the source line that it comes from; `line` is then one of the code."""
        return Shown(known(self).pipeline(target).map(after, line, by_code))

    def explain(self, line=0, target=""):
        """What was chosen for each statement and why; of one line of the source."""
        return Shown(known(self).pipeline(target).explain(line))

    def source(self, target="", host=False):
        """The generated code, coloured; for another target where one is given."""
        return Shown(known(self).pipeline(target).source(host))

    def script(self):
        return self.ir()

    def get_kernel_source(self, kernel_only=True):
        """The generated code for this kernel's target."""
        source, diagnostics = _core.render(self._at_level("flat"), self.target, not kernel_only)
        refuse(diagnostics)
        show_warnings(diagnostics, self._identity)
        return callback.changed(source, self.target)

    def get_host_source(self):
        return self.get_kernel_source(kernel_only=False)

    @property
    def kernel_source(self):
        return self.get_kernel_source()

    def export_program(self, directory, *values):
        """Writes the kernel as a program for a machine with a GPU of Moore Threads: its MUSA C, this call's inputs and
        what the simulator computes of them. `sh DIRECTORY/run.sh` builds and runs there what lies in the directory."""
        from .._gpu import export

        export.write(self, directory, values)

    def print_source_code(self, which="kernel"):
        print(self.get_kernel_source(which == "kernel"))

    show_source = print_source_code

    def _get_ptx(self):
        if not self.target.startswith("sm_"):
            raise ValueError(f"kernel {self.name} is for {self.target}: PTX is NVIDIA's. Another target: "
                             "kernel.for_target('sm_90a')")
        text, why = _core.ptx(self._at_level("flat"), self.target)
        if not text:
            raise ValueError(f"kernel {self.name} comes from its C, PTX is not written of {why}; "
                             "nvcc -ptx makes it of kernel.get_kernel_source()")
        return text

    def show_ptx(self):
        """Prints the kernel as PTX, which a driver takes without a compiler. ValueError for other targets than NVIDIA's,
        and of a kernel that is written in C alone."""
        print(self._get_ptx())

    def export_ptx(self, path):
        """Writes what `show_ptx` prints to a file; directories are made."""
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._get_ptx())

    def get_profiler(self, tensor_supply_type=None):
        from ..profiler import Profiler

        return Profiler(self, tensor_supply_type)

    def __repr__(self):
        shapes = ", ".join(f"{p.name}: {p.dtype}{p.shape if not p.scalar else ''}" for p in self.params)
        return f"<kernel {self.name}({shapes}) for {self.target}>"

    def _repr_mimebundle_(self, include=None, exclude=None):
        from html import escape

        rows = "".join(
            f'<tr><td style="text-align:left"><code>{escape(p.name)}</code></td>'
            f'<td style="text-align:left">{escape(str(p.dtype))} {escape("" if p.scalar else str(p.shape))}'
            f'{" (returned)" if i in self._outputs else ""}</td></tr>'
            for i, p in enumerate(self.params))
        return {"text/plain": repr(self),
                "text/html": f"<div>kernel <b>{escape(known(self).full_name)}</b><table>{rows}</table></div>"}
