# SPDX-License-Identifier: Apache-2.0
"""Modules of TileLang and TVM that tilelab does not have, with the reason and the replacement. A row covers its module and everything below
it. `planned`: will be added; `refused`: will not. Both can be imported; using their contents raises NotHere. The status of the language's
functions is in the compiler's table (docs/language.md)."""

from . import language

_TVM = "There is no TVM in tilelab: its IR is reached by kernel.ir() and kernel.passes()."
_BY_HAND = "Matrix instructions by hand; T.gemm chooses them itself."
_OTHER = "tilelab has no target for these GPUs."
_TOOLS = "The commands %passes, %ir, %diff, %layout and %explain show this."

ROWS = {
    # TileLang, by the name below `tilelang`
    "_ffi_api": ("refused", _TVM),
    "analysis": ("refused", "The checks are passes of their own; a kernel is checked when it is made."),
    "autodd": ("planned", "%shrink reduces a kernel that fails."),
    "autotuner.grouped_compile": ("refused", "Kernels are compiled one by one, in a few milliseconds each."),
    "autotuner.param": ("planned", "Results of tuning are kept in memory."),
    "autotuner.tuner": ("planned", "tilelang.autotuner has AutoTuner."),
    "backend": ("refused", "A target is a row of tilelab's own table; see %target."),
    "cache": ("refused", "Compiled kernels live in memory; compiling one takes milliseconds."),
    "carver": ("planned", "Configurations from a model of the device; list them by hand for tilelang.autotune."),
    "contrib": ("refused", "Foreign compilers are called by hand: kernel.get_kernel_source() has the code."),
    "cpu": ("planned", "The dialect of the CPU; tilelang.language has the common names."),
    "cuda": ("planned", _BY_HAND),
    "engine.phase": ("refused", _TOOLS),
    "errors": ("refused", "Messages are diagnostics of their own; %explain NAME shows each."),
    "instrumentation": ("refused", _TOOLS),
    "intrinsics": ("planned", _BY_HAND),
    "ir": ("refused", _TVM),
    "jit.adapter": ("refused", "Kernels have one way to be called; there are no adapters."),
    "jit.kernel": ("planned", "tilelang.jit has JITKernel."),
    "jit.diagnostics": ("refused", "Messages are diagnostics of their own; %explain NAME shows each."),
    "language.ast": ("refused", _TVM),
    "language.common": ("planned", "tilelang.language has all names."),
    "language.tir": ("planned", "tilelang.language has all names."),
    "language.v2": ("planned", "tilelang.language has all names."),
    "language.eager": ("refused", "Kernels are read by tilelab's own elaborator."),
    "language.parser": ("refused", _TVM),
    "layout.cute": ("planned", "tilelang.layout.Layout has compose, inverse and repeat."),
    "layout.make_metadata_layout": ("planned", "2:4 sparse operands."),
    "layout.make_tcgen05mma_swizzled_layout": ("refused", _OTHER),
    "layout.make_volta_swizzled_layout": ("refused", _OTHER),
    "layout.swizzle": ("planned", "tilelang.layout has the swizzled layouts."),
    "libinfo": ("refused", "There is no separate library to be found."),
    "metal": ("refused", _OTHER),
    "musa": ("planned", _BY_HAND),
    "primitives": ("planned", _BY_HAND),
    "profiler.bench": ("planned", "tilelang.profiler has do_bench."),
    "quantize": ("planned", "Bit patterns of packed weights; write them with T.reinterpret and shifts."),
    "rocm": ("refused", _OTHER),
    "tileop": ("planned", _BY_HAND),
    "tools": ("planned", _TOOLS),
    "utils.sparse": ("planned", "2:4 sparse operands."),
    "utils.pass_diff": ("planned", _TOOLS),
    "utils.pass_diff_hook": ("planned", _TOOLS),
    "webgpu": ("refused", _OTHER),
    # TVM, by the name below `tvm`
    "tvm.arith": ("refused", _TVM),
    "tvm.contrib": ("refused", _TVM),
    "tvm.ffi": ("refused", _TVM),
    "tvm.ir": ("refused", _TVM),
    "tvm.runtime": ("refused", _TVM),
    "tvm.script": ("refused", _TVM),
    "tvm.te": ("refused", _TVM),
    "tvm.tir": ("refused", _TVM),
    "tvm.tirx": ("refused", _TVM),
    "tvm.tl": ("refused", "An old name: import tilelang.language."),
    "tvm.transform": ("refused", _TOOLS),
    "transform": ("refused", "Passes run as one pipeline; %passes shows it and kernel.passes() gives it."),
    "utils": ("refused", "A helper of TileLang's own passes."),
}

# Names that TileLang has in several places, or has moved, and their location in tilelab: objects, and modules with all their contents.
MOVED = {
    "_ffi_api.Layout_repeat": "layout.Layout.repeat",
    "autotuner.tuner.AutoTuner": "autotuner.AutoTuner",
    "cuda.intrinsics.layout.mma_layout.make_mma_swizzle_layout": "layout.make_swizzled_layout",
    "cuda.intrinsics.make_mma_swizzle_layout": "layout.make_swizzled_layout",
    "cuda.language": "language",
    "intrinsics.make_mma_swizzle_layout": "layout.make_swizzled_layout",
    "intrinsics.mma_layout.make_mma_swizzle_layout": "layout.make_swizzled_layout",
    "jit.kernel": "jit",
    "language.common": "language",
    "language.tir": "language",
    "language.v2": "language",
    "layout.swizzle": "layout",
    "primitives.gemm.base.GemmWarpPolicy": "language.GemmWarpPolicy",
    "profiler.bench": "profiler",
    "rocm.target.check_hip_availability": "utils.target.check_hip_availability",
    "tileop.base.GemmWarpPolicy": "language.GemmWarpPolicy",
    "transform.PassContext": "tvm.transform.PassContext",
    "transform.simplify.apply_simplify": "transform.simplify_prim_func",
    "tvm.tir": "tvm.tirx",
    "tvm.tirx.expr": "tvm.tirx",
}


def place_of(name):
    """The location in tilelab of a dotted name that moved, or None."""
    parent, rest = name, ""
    while parent:
        if parent in MOVED:
            return MOVED[parent] + rest
        parent, _, last = parent.rpartition(".")
        rest = f".{last}{rest}"
    return None


def row_of(name):
    """(status, reason) of a dotted name below the package; None if no row covers it."""
    head, _, rest = name.partition(".")
    if head == "language" and rest.partition(".")[0] in language.ROWS:
        return language.ROWS[rest.partition(".")[0]]
    while name:
        if name in ROWS:
            return ROWS[name]
        name = name.rpartition(".")[0]
    return None
