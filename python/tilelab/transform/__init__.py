# SPDX-License-Identifier: Apache-2.0
"""Pass configurations by TileLang's names."""

import enum

from .._compiler import settings

_KEYS = """tl.disable_warp_specialized tl.disable_tma_lower tl.disable_safe_memory_legalize
tl.disable_vectorize_256 tl.enable_async_copy tl.enable_lower_ldgstg tl.enable_lower_ldgstg_predicated
tl.disable_wgmma tl.enable_fast_math tl.ptxas_register_usage_level tl.device_compile_flags
tl.config_index_bitwidth tl.layout_cost_model tl.enable_aggressive_shared_memory_merge
tl.disable_shared_memory_reuse tl.debug_merge_shared_memory_allocations tl.disable_thread_storage_sync
tl.disable_loop_unswitching tl.force_let_inline tl.ast_print_enable tl.layout_visualization_enable
tl.layout_visualization_formats tl.storage_rewrite_detect_inplace tl.disable_data_race_check
tl.disable_buffer_init_check tl.disable_prelower_semantic_check tl.disable_shuffle_elect
tl.enable_dump_ir tl.dump_ir_path tl.pass_profile tl.disable_out_of_bound_warning tl.Simplify
tl.disable_dynamic_tail_split tl.dynamic_alignment tl.fast_math
tirx.disable_vectorize tirx.use_async_copy tirx.merge_static_smem tir.disable_vectorize
tir.use_async_copy tir.merge_static_smem cuda.kernels_output_dir""".split()


def _member(key):
    room, _, name = key.partition(".")
    return f"{room}_{name}".upper()


PassConfigKey = enum.Enum("PassConfigKey", {_member(k): k for k in _KEYS}, type=str, module=__name__)
PassConfigKey.__doc__ = "Names of pass configurations; each equals its text."


def config_values(configs):
    """{text: bool, int or str} of what a user gave, over those of the context; unknown names are
    refused."""
    out = dict(settings.pass_configs)
    for key, value in (configs or {}).items():
        text = key.value if isinstance(key, enum.Enum) else str(key)
        if text not in _KEYS and not text.startswith("tilelab."):
            import difflib

            near = difflib.get_close_matches(text, _KEYS, 1, 0.75)
            advice = f"did you mean {near[0]!r}?" if near else "tilelang.PassConfigKey has them all"
            raise ValueError(f"unknown pass configuration {text!r}; {advice}")
        out[text] = value if isinstance(value, (bool, int)) else str(value)
    return out
