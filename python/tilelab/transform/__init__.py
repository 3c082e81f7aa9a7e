# SPDX-License-Identifier: Apache-2.0
"""Pass configurations by TileLang's names."""

import enum

from .. import _core
from .._compiler import settings
from .._compiler.errors import UsageError
from .._compiler.messages import message
from .._compiler.kernel_warnings import show_warnings

__all__ = ["PassConfigKey", "simplify_prim_func"]


def __getattr__(name):  # like names.attributes, whose table is loaded on first use
    if name == "PassConfigKey":
        return _pass_config_key()
    from ..names import attributes

    return attributes(__name__)(name)

_KEYS = """tl.disable_warp_specialized tl.disable_tma_lower tl.disable_safe_memory_legalize tl.disable_vectorize_256
tl.enable_async_copy tl.enable_lower_ldgstg tl.enable_lower_ldgstg_predicated tl.disable_wgmma tl.enable_fast_math
tl.ptxas_register_usage_level tl.device_compile_flags tl.config_index_bitwidth tl.layout_cost_model
tl.enable_aggressive_shared_memory_merge tl.disable_shared_memory_reuse tl.debug_merge_shared_memory_allocations
tl.disable_thread_storage_sync tl.disable_loop_unswitching tl.force_let_inline tl.ast_print_enable tl.layout_visualization_enable
tl.layout_visualization_formats tl.storage_rewrite_detect_inplace tl.disable_data_race_check tl.disable_buffer_init_check
tl.disable_prelower_semantic_check tl.disable_shuffle_elect tl.enable_dump_ir tl.dump_ir_path tl.pass_profile
tl.disable_out_of_bound_warning tl.Simplify tl.disable_dynamic_tail_split tl.dynamic_alignment tl.fast_math tl.disable_auto_unroll
tl.enable_auto_unroll tl.disable_fast_math tl.disable_index_type_promotion tl.disable_ph1_wmma tl.disable_safe_copy_predication
tl.disable_safe_robust_copy_predication tl.disable_sqmma tl.disable_vectorize_single_side tl.emit_line_directives tl.enable_musa_burst
tl.enable_musa_tma_prefetch tl.enable_ptxas_verbose_output tl.enable_reduce_burst tl.enable_reducer_plan_verbose
tl.enable_vectorize_planner_verbose tl.if_stmt_binding_inline_replayable_binds tl.loop_unswitching_allow_non_trivial_else
tl.pass_profile_threshold_ms tl.enable_auto_schedule tl.enable_auto_warp_specialization tl.enable_fp32x2_reduction
tl.reducer_force_baseline tirx.Simplify tirx.add_lower_pass tirx.disable_cse_tir
tirx.disable_storage_rewrite tirx.enable_debug tirx.noalias tir.Simplify tir.add_lower_pass tir.disable_cse_tir
tir.disable_storage_rewrite tir.enable_debug tir.enable_equiv_terms_in_cse_tir tir.noalias tirx.disable_vectorize tirx.use_async_copy
tirx.merge_static_smem tir.disable_vectorize tir.use_async_copy tir.merge_static_smem cuda.kernels_output_dir""".split()
# Options of TVM's Simplify, without a prefix.
_SIMPLIFY = """apply_constraints_to_boolean_branches convert_boolean_to_and_of_ors enable_simplify_let_inline
propagate_knowns_to_prove_conditional propagate_knowns_to_simplify_expressions transitively_prove_inequalities""".split()
_KEYS += _SIMPLIFY


def _member(key):
    room, _, name = key.partition(".")
    return f"{room}_{name}".upper()


# Members whose names do not follow from their texts: aliases.
_ALSO = {
    "TL_DISABLE_SAFE_MEMORY_ACCESS": "tl.disable_safe_memory_legalize", "TL_DUMP_IR_DIR": "tl.dump_ir_path",
    "TIR_DISABLE_CSE": "tir.disable_cse_tir", "TIR_ENABLE_EQUIV_TERMS_IN_CSE": "tir.enable_equiv_terms_in_cse_tir",
    **{f"TL_SIMPLIFY_{key.replace('enable_simplify_', 'enable_')}".upper(): key for key in _SIMPLIFY},
}


def _pass_config_key():
    """The class PassConfigKey, made on first use: few programs need it."""
    members = {**{_member(k): k for k in _KEYS if "." in k}, **_ALSO}
    made = enum.Enum("PassConfigKey", members, type=str, module=__name__)
    made.__doc__ = "Names of pass configurations; each equals its text."
    globals()["PassConfigKey"] = made
    return made


def config_values(configs):
    """{text: bool, int or str} of a user's configurations, over those of the context; rejects unknown names."""
    out = dict(settings.pass_configs)
    ours = [name for name, _ in _core.configs()]
    for key, value in (configs or {}).items():
        text = key.value if isinstance(key, enum.Enum) else str(key)
        if text not in _KEYS and text not in ours:
            import difflib

            near = difflib.get_close_matches(text, _KEYS + ours, 1, 0.7)
            advice = f"did you mean {near[0]!r}?" if near else "see tilelang.PassConfigKey for all names"
            raise UsageError(message("pass-config-unknown", repr(text), help=advice))
        if text == "tilelab.allow":
            value = _allowed(value.split(",") if isinstance(value, str) else value)
        if text == "tilelab.require" and isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        out[text] = value if isinstance(value, (bool, int)) else str(value)
        if needs := _core.config_needs(text, out[text]):
            raise UsageError(message("pass-config-value", repr(value), repr(text), help=f"use {needs}"))
    return out


def with_required(configs, require):
    """Configurations with the code paths that `require=` names: a text or a list."""
    return {**(configs or {}), "tilelab.require": require} if require else configs


def _allowed(names):
    """Names of warnings as one text; warns of unknown ones."""
    names = [name.strip() for name in names]
    unknown = [message("allow-unknown", f"`{name}`", help=advice) for name in names if (advice := _core.unknown_warning(name))]
    show_warnings(unknown, lambda: "tilelab.allow")
    return ", ".join(names)


def note_unread(func, configs):
    """The function with a note for each configuration that was set but that no pass reads."""
    units = configs.get("tilelab.hardware_units", True)
    read = [name for name, with_units in _core.configs() if units or not with_units]
    for key, value in configs.items():
        if key not in read and value:
            func = func.with_note("option-no-effect", [f"the pass configuration {key}"],
                                  "it configures the passes of another compiler; results are the same without it")
    return func


def simplify_prim_func(func):
    """The function: kernels are simplified when they are compiled (pass canonicalize)."""
    return func
