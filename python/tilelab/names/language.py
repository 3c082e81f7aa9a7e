# SPDX-License-Identifier: Apache-2.0
"""Names of TileLang's language that tilelab lacks: TVM's script language, instructions of specific GPUs. `(status, reason, names)`."""

_TREE = "It builds a tree of TVM; write the expression or statement directly."
_BLOCKS = "Blocks of TVM's schedules; T.Kernel and its statements need none."
_HOST = "It belongs to TVM's runtime, which tilelab does not have."
_BY_HAND = "Explicit instructions; use T.copy, T.gemm and barriers, for which the compiler selects instructions."
_OTHER = "tilelab has no target for these GPUs."

_ROWS = (
    ("refused", _TREE, """Add Sub Mul Div Mod FloorDiv FloorMod Min Max EQ NE LT LE GT GE Bind BufferLoad Call CallEffectKind
     CommReducer FloatImm IntImm IterVar Let LetAnnotation ProducerLoad Range Reduce Shuffle StringImm Assert Break Continue Return bind
     broadcast buffer buffer_decl buffer_store buffer_var decl_buffer fabs iter_var index_map meta_var ramp selector
     static_assert undef var void vectorcombine vectorhigh vectorlow boolean add_to_parent hint break_loop continue_loop filter
     LocalVectorAnnotation DtypeConstructor AnyDType PyPrimExpr get_tvm_dtype is_f8f6f4_family ret get_active_lane_mask vscale
     ignore_loop_partition"""),
    ("refused", _BLOCKS, """block sblock sblock_attr sblock_alloc_buffer block_name_suffix_context axis init reads writes env_thread
     launch_thread func_name func_ret arg target tvm_thread_invariant alloc_scalar decl_scalar local_scalar shared_scalar
     scalar_wrapper TileLayout SwizzleLayout ComposeLayout ExecScope Iter R S ScopeIdDef TensorMap cluster_id cta_id cta_id_in_cluster
     cta_id_in_pair device_entry lane_id scope_id smem thread_id thread_id_in_wg tmem warp_id warp_id_in_wg warpgroup_id wg_reg_tile
     webgpu register_script_namespace alloc_cast_frag alloc_tcgen05_ldst_frag"""),
    ("refused", _HOST, """TVMBackendAllocWorkspace TVMBackendFreeWorkspace anylist_getitem anylist_resetitem
     anylist_setitem_call_cpacked anylist_setitem_call_packed call_cpacked call_cpacked_lowered call_kernel call_llvm_intrin
     call_llvm_pure_intrin call_packed call_packed_lowered end_profile_intrinsic handle_add_byte_offset llvm_lookup_intrinsic_id
     lookup_param print_buffer ptr_byte_offset q_multiply_shift q_multiply_shift_per_axis start_profile_intrinsic tvm_call_cpacked
     tvm_call_cpacked_lowered tvm_call_packed tvm_call_packed_lowered tvm_global_barrier_kinit tvm_kernel_replace_point tvm_stack_alloca
     tvm_stack_make_array tvm_stack_make_shape tvm_struct_get tvm_struct_set tvm_throw_last_error tvm_tuple"""),
    ("planned", _BY_HAND, """alloc_descriptor alloc_wgmma_desc increase_descriptor_offset initialize_wgmma_descriptor mma_fill mma_store
     ptx_arrive_barrier ptx_arrive_barrier_expect_tx ptx_cp_async_barrier ptx_cp_async_bulk ptx_fence_barrier_init
     ptx_init_barrier_thread_count ptx_mma_block_scale ptx_mma_sm70 ptx_mma_sp ptx_wait_barrier ptx_wgmma_rs
     ptx_wgmma_sp_rs ptx_wgmma_sp_ss ptx_wgmma_ss tvm_bmma_sync tvm_fill_fragment tvm_load_matrix_sync tvm_mma_sync
     tvm_store_matrix_sync mul_half_float_to_bfloat16_x4 TensorCoreIntrinEmitterSM120
     INT4TensorCoreIntrinEmitter TensorCoreIntrinEmitterWithLadderTransform WGMMATensorCoreIntrinEmitter
     SparseTensorCoreIntrinEmitter WGMMADescriptorParams WGSparseTensorCoreIntrinEmitter WarpSpecializeFrame
     compute_gmma_descriptor create_barriers make_blockscaled_gemm_layout
     validate_gemm_ab_dtypes wgmma_gemm_sp"""),
    ("refused", _OTHER, """TCGEN05TensorCoreIntrinEmitter clc_get_first_ctaid_x clc_get_first_ctaid_y clc_get_first_ctaid_z
     clc_is_canceled clc_query_cancel clc_try_cancel_multicast cooperative_tensor_fill cooperative_tensor_load
     cooperative_tensor_multiply_accumulate cooperative_tensor_store ds_read_tr16_b64 ds_read_tr8_b64 make_filled_simdgroup_matrix mfma
     mfma_store ptx_tcgen05_mma_blockscaled_ss ptx_tcgen05_mma_ss ptx_tcgen05_mma_ts simdgroup_load simdgroup_multiply_accumulate
     simdgroup_store tcgen05_after_thread_sync tcgen05_before_thread_sync tcgen05_cp_warpx4 tcgen05_mma tcgen05_mma_arrive
     tcgen05_mma_blockscaled tcgen05_sf_warp_transpose TCGEN05DescriptorParams alloc_tcgen05_instruction_desc compute_umma_descriptor
     initialize_tcgen05_descriptor tcgen05_gemm_sp tvm_mfma tvm_mfma_store tvm_rdna_wmma tvm_rdna_wmma_store wgmma_mma"""),
)

ROWS = {name: (status, reason) for status, reason, names in _ROWS for name in names.split()}


def knows(name):
    return name in ROWS
