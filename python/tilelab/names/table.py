# SPDX-License-Identifier: Apache-2.0
"""Modules of TileLang and TVM that tilelab does not have: a row covers the modules and everything below. `planned`: will be added;
`refused`: will not. Both can be imported; using their contents raises NotHere. The language's functions: docs/language."""

from . import language

_TVM = "There is no TVM in tilelab; use kernel.ir() and kernel.passes() for its IR."
_BY_HAND = "Explicit matrix instructions; T.gemm selects them."
_OTHER = "tilelab has no target for these GPUs."
_TOOLS = "The commands %passes, %ir, %diff, %layout and %explain show this."

# The modules in which TileLang writes its language, of which T has the names.
_WRITTEN_IN = """annotations atomic builtin common copy_op customize fill_op frame gemm_op logical math_intrinsics meta
                 proxy reduce_op scan_op symbolics tir utils v2 warp_specialize"""

_ROWS = (
    ("refused", _TVM, """_ffi_api ir language.ast language.parser tvm.arith tvm.contrib tvm.ffi tvm.ir tvm.runtime tvm.script tvm.te
     tvm.tir tvm.tirx"""),
    ("refused", "The checks are separate passes, which run when a kernel is compiled.", "analysis"),
    ("planned", "%shrink reduces a kernel that fails.", "autodd"),
    ("refused", "Kernels are compiled one by one, in a few milliseconds each.", "autotuner.grouped_compile"),
    ("planned", "Results of tuning are kept in memory.", "autotuner.param"),
    ("planned", "tilelang.autotuner has AutoTuner.", "autotuner.tuner"),
    ("refused", "Targets are a fixed table in tilelab; see %target.", "backend"),
    ("refused", "Compiled kernels live in memory; compiling one takes milliseconds.", "cache"),
    ("planned", "Configurations from a model of the device; list them explicitly for tilelang.autotune.", "carver"),
    ("refused", "Call other compilers explicitly, with the code of kernel.get_kernel_source().", "contrib"),
    ("planned", "The dialect of the CPU; tilelang.language has the common names.", "cpu"),
    ("planned", _BY_HAND, "cuda intrinsics musa primitives tileop"),
    ("refused", _TOOLS, "engine.phase instrumentation tvm.transform"),
    ("refused", "tilelab has different messages; %explain NAME shows each.", "errors jit.diagnostics"),
    ("refused", "Kernels are called in one way; there are no adapters.", "jit.adapter"),
    ("planned", "tilelang.jit has JITKernel.", "jit.kernel"),
    ("refused", "The elaborator of tilelab reads kernels.", "language.eager"),
    ("planned", "tilelang.language has all names.", " ".join(f"language.{name}" for name in _WRITTEN_IN.split())),
    ("planned", "tilelang.layout.Layout has compose, inverse and repeat.", "layout.cute"),
    ("planned", "2:4 sparse operands.", "layout.make_metadata_layout utils.sparse"),
    ("refused", _OTHER, "layout.make_tcgen05mma_swizzled_layout layout.make_volta_swizzled_layout metal rocm webgpu"),
    ("refused", "tilelab has no target for Ascend's processors.", "ascend"),
    ("refused", "tilelab has no target for AMD GPUs. The operands of NVIDIA's mma are in tilelang.cuda.intrinsics.layout.mma_layout; "
                "T.Fragment(shape, f) draws any function f of the indices.", "rocm.intrinsics"),
    ("planned", "tilelang.layout has the swizzled layouts.", "layout.swizzle"),
    ("refused", "There is no separate library to be found.", "libinfo"),
    ("planned", "tilelang.profiler has do_bench.", "profiler.bench"),
    ("planned", "Bit patterns of packed weights; write them with T.reinterpret and shifts.", "quantize"),
    ("planned", _TOOLS, "tools utils.pass_diff utils.pass_diff_hook"),
    ("refused", "An old name: import tilelang.language.", "tvm.tl"),
    ("refused", "Passes run as one pipeline; %passes shows it and kernel.passes() gives it.", "transform"),
    ("refused", "A helper of the passes of TileLang.", "utils"),
)
ROWS = {name: (status, reason) for status, reason, names in _ROWS for name in names.split()}

# Names that TileLang has in several places, or has moved, and their location in tilelab: objects, and modules with all their contents.
MOVED = {
    "_ffi_api.Layout_repeat": "layout.Layout.repeat",
    "autotuner.tuner.AutoTuner": "autotuner.AutoTuner",
    "cuda.intrinsics.layout.mma_layout": "layout.mma",
    "cuda.intrinsics.layout.mma_layout.make_mma_swizzle_layout": "layout.mma.make_mma_swizzle_layout",
    "cuda.intrinsics.make_mma_swizzle_layout": "layout.mma.make_mma_swizzle_layout",
    "cuda.intrinsics.TensorCoreIntrinEmitter": "language.mma_emitter.TensorCoreIntrinEmitter",
    "cuda.intrinsics.get_ldmatrix_offset": "layout.mma.get_ldmatrix_offset",
    "cuda.intrinsics.get_mma_micro_size": "layout.mma.get_mma_micro_size",
    "cuda.intrinsics.get_swizzle_layout": "layout.mma.get_swizzle_layout",
    "cuda.intrinsics.macro.mma_macro_generator.TensorCoreIntrinEmitter": "language.mma_emitter.TensorCoreIntrinEmitter",
    "cuda.intrinsics.mma_store_index_map": "layout.mma.mma_store_index_map",
    "cuda.intrinsics.layout.utils": "layout.mma",
    "cuda.intrinsics.sparse_layout": "layout.sparse",
    "cuda.language": "language",
    "intrinsics.make_mma_swizzle_layout": "layout.mma.make_mma_swizzle_layout",
    "intrinsics.mma_layout.make_mma_swizzle_layout": "layout.mma.make_mma_swizzle_layout",
    "jit.kernel": "jit",
    "language.TensorCoreIntrinEmitter": "language.mma_emitter.TensorCoreIntrinEmitter",
    "language.get_ldmatrix_offset": "layout.mma.get_ldmatrix_offset",
    "language.get_mma_micro_size": "layout.mma.get_mma_micro_size",
    "language.get_swizzle_layout": "layout.mma.get_swizzle_layout",
    "language.make_mma_swizzle_layout": "layout.mma.make_mma_swizzle_layout",
    "language.mma_store_index_map": "layout.mma.mma_store_index_map",
    "layout.swizzle": "layout",
    "primitives.gemm.base.GemmWarpPolicy": "language.GemmWarpPolicy",
    "profiler.bench": "profiler",
    "rocm.target.check_hip_availability": "utils.target.check_hip_availability",
    "tileop.base.GemmWarpPolicy": "language.GemmWarpPolicy",
    "transform.PassContext": "tvm.transform.PassContext",
    "transform.simplify.apply_simplify": "transform.simplify_prim_func",
    "tvm.tir": "tvm.tirx",
    "tvm.tirx.expr": "tvm.tirx",
} | {f"language.{name}": "language" for name in _WRITTEN_IN.split()}


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
