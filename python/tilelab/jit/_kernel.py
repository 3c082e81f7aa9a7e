# SPDX-License-Identifier: Apache-2.0
"""JITKernel, the class that users get: a kernel with analysis tools, which are loaded on first use."""

import os
import warnings

from .. import _core
from .._compiler.errors import CompileError
from .._gpu.array import in_host_memory
from .._gpu.targets import target_name
from .._kernel import arguments
from .._kernel.kernel import Kernel
from .._kernel.registry import known
from .._kernel.shown import IRText, PassTable, Picture, Shown
from ._prim_func import PrimFunc

of_prim_func = None  # tilelang.compile; set by _impl, which imports this module


def _in_host_memory(values):
    return [in_host_memory(value) for value in values]


def refuse_grid(name):
    """For Triton's launch, `kernel[grid](...)`."""
    raise TypeError(f"the launch {name}[grid](...) is Triton's; here the grid is in the kernel, `with T.Kernel(gx, gy):`, and a call is {name}(...)")


class _Making(type):
    """`JITKernel(prim_func, out_idx=..., target=...)` compiles, as in TileLang; internally it gets functions of the IR."""

    def __call__(cls, func, *args, **kwargs):
        if isinstance(func, _core.Func):
            return super().__call__(func, *args, **kwargs)
        return of_prim_func(func, *args, **kwargs)


def kernel_of_ir(text, name="report", **options):
    """A kernel from IR text; raises CompileError. `name`: of the text, for messages."""
    func, diagnostics = _core.read_ir(name, text)
    if func is None:
        raise CompileError(diagnostics)
    return JITKernel(func, **options)


def _restored(text, name, returns_tuple, config):
    """A kernel that was pickled."""
    with warnings.catch_warnings():  # those of the source were shown when it was compiled
        warnings.simplefilter("ignore")
        kernel = kernel_of_ir(text, name, returns_tuple=returns_tuple, kernel_name=name)
    kernel.config = config
    return kernel


class JITKernel(Kernel, metaclass=_Making):
    """A specialised kernel. `k(*inputs)` runs it and returns its outputs. It pickles as its IR, and is compiled where it is loaded."""

    made_of = None  # the PrimFunc that was compiled; None for a kernel of IR text

    def __reduce__(self):
        return _restored, (self._func.text(True), self.name, self._returns_tuple, self.config)

    def __getitem__(self, grid):
        refuse_grid(self.name)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def _report_crash(self, error, values=None):
        from .._tools import reproducer

        reproducer.crashed(self, error, values)

    def _recording(self, values, block=(), level="", after="", launch=0, seed=0):
        from .._tools.trace import Recording

        values = _in_host_memory(values)
        described, arrays, _ = arguments.describe(self, values)
        return Recording(self, described, (arrays, values), block, level, known(self).full_name, after, launch, seed)

    @property
    def latency(self):
        """Milliseconds of a run, if a tuner made the kernel; if nothing was timed, of one run that this query starts."""
        if callable(self._latency):
            self._latency = self._latency()
        return self._latency

    @latency.setter
    def latency(self, value):
        self._latency = value

    def check(self, *values, level=None, seconds=10, all=False, seed=0, exact=False, against=None):
        """Runs the kernel with every detector on, at tile and thread level or at one of "tile", "thread", "flat". Blocks that are proved
        alike are sampled; otherwise each level runs for at most `seconds`. `all`: every block, without limit. `seed`: another schedule and
        sample. The arguments keep their values. Raises KernelError on findings, otherwise returns the report. `against`, a function of the
        inputs, adds .compared: whether the values match the reference. `exact` adds .exact: the comparison with float64, and of float64
        with `against`."""
        from .._tools import check as checking

        values = _in_host_memory(values)
        described, _, _ = arguments.describe(self, values)
        report = checking.check(self, described, known(self).full_name, level and (level,), 0 if all else seconds, seed)
        if not exact:
            from .._tools.reference import CheckedAgainst, Compared

            return report if against is None else CheckedAgainst(report, Compared(self, described, against))
        from .._tools.exact import CheckedExactly, Exact

        return CheckedExactly(report, Exact(self, described, against))

    def trace(self, *values, block=(), level="", after="", buffer="", steps=None, at=None, launch=0, seed=0):
        """The events of one block of a call: .events with line, names and accessed parts; .syncs, which agents arrive at and wait for rings
        and barriers; .at(n), the values after event n. `steps` is a pair (from, to); `seed` selects another schedule, such as one that
        check() names. The arguments keep their values."""
        from .._tools.trace import Trace
        from .._tools.trace_view import MomentView, TraceView

        recording = self._recording(values, block, level, after, launch, seed)
        return TraceView(Trace(recording, steps, buffer)) if at is None else MomentView(recording, at)

    def touched(self, buffer, *values, level="", after="", launch=0):
        """Counts the blocks of a call that read and write each element of a tensor: .reads and .writes."""
        from .._tools.access_counts import AccessCounts

        return AccessCounts(self._recording(values, (), level, after, launch), buffer)

    def dbg(self, *values, block=(), level="", after="", thread=None, commands=(), launch=0, seed=0):
        """Steps through one block of a call with input() as pdb does, or with a list of `commands`; `seed` as in trace()."""
        from .._tools.debugger import Debugger

        recording = self._recording(values, block, level, after, launch, seed)
        Debugger(recording, None, thread).run(commands)

    def aligned(self):
        """The variant that calls on a GPU run if the rows start at multiples of 16 bytes: a separate kernel,
        with all views. Other arguments are refused. The kernel itself if no stride depends on a dynamic extent."""
        if not self._row_dims:
            return self
        return type(self)(self._func.with_multiples(self._row_dims), self._returns_tuple, self.name, self._identity)

    def bench(self, *values, beside=None, runs=0):
        """Times a call: median and spread, GB/s, TFLOP/s, share of the roofline; optionally beside a function without arguments."""
        from .._tools.bench import Bench

        return Bench(self, values, beside, getattr(beside, "__name__", "beside"), runs)

    def why(self, tensor, index, *values, depth=8):
        """Traces one element of a tensor to the values and statements that produced it: `k.why("C", (3, 5), a, b)`."""
        from .._tools.why import Why

        return Why(self, tensor, index, _in_host_memory(values), depth)

    def why_line(self, line):
        """The changes of a source line by each pass, with their rules."""
        from .._tools.why_line import WhyLine

        return WhyLine(self, line)

    def report(self, *values, to=""):
        """Writes a script that repeats this call and fails as long as its findings exist."""
        from .._tools.reproducer import Report

        return Report(self, _in_host_memory(values), to)

    def shrink(self, *values, against=None):
        """The smallest sizes and text with which this call still has its first finding or, by the function `against`, a wrong result."""
        from .._tools.shrink import Shrink

        return Shrink(self, _in_host_memory(values), against)

    def banks(self, *values, line=0, buffer="", **extents):
        """Shared-memory bank conflicts: .rows by line and buffer, .buffers with layouts that avoid conflicts, .clean. Without values the
        tensors are zeros, and dynamic extents are given by name."""
        from .._tools.banks import Banks

        return Banks(self, _in_host_memory(values) or None, line, buffer, extents)

    def roof(self, *values, line=0, all=False, **extents):
        """Bytes and operations per line, and the roofline bound on the target's card: .lines, .totals, .limits, .bound, .hottest. A large
        grid is sampled and scaled; `all`: every block. Without values the tensors are zeros, and dynamic extents are given by name."""
        from .._tools.roofline import Roof

        return Roof(self, _in_host_memory(values) or None, line, extents, all)

    def versus(self, other, *values):
        """Compares with another kernel: shape, memory, layouts and code; with arguments also bytes and time of a call."""
        from .._tools.comparison import Versus

        return Versus(self, other, _in_host_memory(values) or None)

    def bisect(self, *values, other=None, from_="", to=""):
        """Runs each pass's result, or two kernels, on the same inputs: the first pass and statement whose results differ."""
        from .._tools.bisect import Bisect

        return Bisect(self, other, _in_host_memory(values), from_, to)

    def run_once(self):
        return self.get_profiler().run_once()

    @property
    def prim_func(self):
        """The function that was compiled; tilelang.compile(kernel.prim_func, target=...) compiles it again."""
        return self.made_of or PrimFunc(self._func, identity=self._identity)

    def passes(self, stop_after=""):
        """The snapshots of all passes, starting with the elaborated function."""
        snapshots = self._all_snapshots()
        if stop_after:
            snapshots = snapshots[:next((i for i, s in enumerate(snapshots, 1) if s["pass"] == stop_after), None)]
        # The table is rarely shown, so it is built lazily.
        return PassTable(snapshots, lambda: Shown(known(self).pipeline().passes()))

    def ir(self, after="", spans=False, level=""):
        """The IR as elaborated, after a pass, or at a level ("tile", "thread", "flat")."""
        pipeline = known(self).pipeline()
        chosen = after or ("" if level else "elaborate")
        text = IRText(pipeline.text(chosen, level, spans))
        text.shown = Shown(pipeline.ir(chosen, level, spans))
        return text

    def layout(self, buffer, after="", element=None, thread=None, address=None, banks=False, window=(), offsets=False):
        """Which thread or address holds each element of a buffer; `element`, `thread` and `address` (bytes) query one. `window`: a pair
        (from, to) per dimension, the shown part. The result's `.svg` and `.latex` are drawings."""
        if element is not None:
            element = [element] if isinstance(element, int) else list(element)
        return Picture(known(self).pipeline().layout(buffer, after, element, thread, address, banks, list(window), offsets))

    def compare_layout(self, buffer, other, other_buffer="", after=""):
        """Differences between a buffer's layout and that of another buffer or kernel."""
        a, b = known(self), known(other)
        names = (a.short_name, b.short_name) if a is b or a.short_name != b.short_name else (a.full_name, b.full_name)
        one = a.pipeline().layout_object(buffer, after).named(f"{names[0]}.{buffer}")
        two = b.pipeline().layout_object(other_buffer or buffer, after).named(f"{names[1]}.{other_buffer or buffer}")
        return Shown(one.compare(two))

    def diff(self, from_="", to="", other=None):
        """Changes by the passes after `from_`, up to `to`; or differences to another kernel, version or variant after `to`."""
        if other is None:
            return Shown(known(self).pipeline().diff(from_, to))
        from .._tools.ir_diff import compared

        return Shown(compared(known(self), known(other), to))

    def for_target(self, target):
        """This kernel for another target: `%passes k --target sm_80` is `k.for_target("sm_80").passes()`."""
        return known(self).for_target(target_name(target)).kernel

    def map(self, line=0, after="", by_code=False, target=""):
        """Source, IR and generated code side by side, optionally of one source line; `by_code`: by code lines instead."""
        return Shown(known(self).pipeline(target).map(after, line, by_code))

    def explain(self, line=0, target=""):
        """The choices for each statement and their reasons, optionally of one source line."""
        return Shown(known(self).pipeline(target).explain(line))

    def source(self, target="", host=False):
        """The generated code, coloured; for another target if one is given."""
        return Shown(known(self).pipeline(target).source(host))

    def script(self):
        return self.ir()

    def get_host_source(self):
        return self.get_kernel_source(kernel_only=False)

    @property
    def kernel_source(self):
        return self.get_kernel_source()

    def export_program(self, directory, *values):
        """Writes the kernel as a program for a machine with a Moore Threads GPU: its MUSA C, this call's inputs and the simulator's
        results. `sh DIRECTORY/run.sh` builds and runs it."""
        from .._kernel import export

        export.write(self, directory, values)

    def export_library(self, path, arch=""):
        """Writes the kernel as a shared object, for programs without Python, compiler and tilelab.

        `path`: NAME.so; NAME.h beside it is its C header, which declares NAME_host: one argument for each tensor and number, and the
        stream. A GPU's object holds the machine code for the kernel's target and finds the driver when it is called; this machine needs
        the target's compiler, but no GPU. `arch`: the CPU of a kernel for the CPU, as -march names it ("native", "x86-64-v3").
        UsageError for a kernel that prints or asserts, and for a number that C has no type for."""
        from .._kernel import export

        export.library(self, path, arch)

    def print_source_code(self, which="kernel"):
        print(self.get_kernel_source(which == "kernel"))

    show_source = print_source_code

    def _get_ptx(self):
        if not self.target.startswith("sm_"):
            raise ValueError(f"kernel {self.name} is for {self.target}, but PTX is only for NVIDIA. Use another target: "
                             "kernel.for_target('sm_90a')")
        text, why = _core.ptx(self._at_level("flat"), self.target)
        if not text:
            raise ValueError(f"kernel {self.name} is compiled from C, because PTX is not generated for {why}; "
                             "use nvcc -ptx on kernel.get_kernel_source()")
        return text

    def show_ptx(self):
        """Prints the kernel as PTX, which a driver loads without a compiler. ValueError for other targets and for kernels that need C."""
        print(self._get_ptx())

    def export_ptx(self, path):
        """Writes the output of `show_ptx` to a file, creating directories."""
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._get_ptx())

    def show_sass(self):
        """Prints the machine code for an NVIDIA GPU, with the registers and the stack of each kernel. Needs NVRTC and nvdisasm, but no GPU."""
        from .._tools import sass

        print(sass.text(self), end="")

    def export_sass(self, path):
        """Writes the output of `show_sass` to a file, creating directories."""
        from .._tools import sass

        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(sass.text(self))

    def as_torch_op(self, name, backward=None):
        """This kernel as an operator of torch.library, for autograd, torch.compile and torch.export; needs torch.

        `name`: "namespace::name". `backward`: a kernel, or a function, that computes the gradients. Its parameters have the names of this
        kernel's inputs and results, and dNAME for the gradient of the result NAME. A kernel's outputs are named dNAME after the inputs; a
        function returns the gradients in the order of the inputs of floats, or a dict by name. Tensors that the kernel writes in place
        become mutable arguments.

            op = matmul.as_torch_op("mine::matmul", backward=lambda A, B, dC: (dC @ B.T, A.T @ dC))
            op(a, b).sum().backward()"""
        from .._torch import of_kernel

        return of_kernel.make(self, name, backward)

    def get_profiler(self, tensor_supply_type=None):
        from ..profiler import Profiler

        return Profiler(self, tensor_supply_type)

    def _repr_mimebundle_(self, include=None, exclude=None):
        from html import escape

        rows = "".join(
            f'<tr><td style="text-align:left"><code>{escape(p.name)}</code></td>'
            f'<td style="text-align:left">{escape(str(p.dtype))} {escape("" if p.scalar else str(p.shape))}'
            f'{" (returned)" if i in self._outputs else ""}</td></tr>'
            for i, p in enumerate(self.params))
        return {"text/plain": repr(self), "text/html": f"<div>kernel <b>{escape(known(self).full_name)}</b><table>{rows}</table></div>"}
