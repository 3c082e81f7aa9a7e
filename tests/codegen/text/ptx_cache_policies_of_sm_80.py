# test: codegen target=sm_80 ptx=1
# They need version 7.4 of PTX.
def main(X: T.Tensor((256,), "float32"), Y: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=64):
        T.annotate_l2_hit_ratio({X: 0})
        for i in T.Parallel(256):
            Y[i] = X[i] + 1
#> .version 7.4
#> .target sm_80
#> .address_size 64
#> .extern .shared .align 1024 .b8 smem[];
#>
#> .visible .entry main_k0(
#>   .param .u64 main_k0_param_0,
#>   .param .u64 main_k0_param_1)
#> .maxntid 64, 1, 1
#> .minnctapersm 1
#> {
#>   .reg .b32 %r<16>;
#>   .reg .b64 %d<8>;
#>   ld.param.u64 %d0, [main_k0_param_0];
#>   cvta.to.global.u64 %d1, %d0;
#>   ld.param.u64 %d2, [main_k0_param_1];
#>   cvta.to.global.u64 %d3, %d2;
#>   mov.u32 %r0, %tid.x;
#>   and.b32 %r1, %r0, 31;
#>   shr.s32 %r2, %r0, 5;
#>   mov.u32 %r3, %ctaid.x;
#>   mov.u32 %r4, %ctaid.y;
#>   mov.u32 %r5, %ctaid.z;
#>   mul.lo.s32 %r6, %r0, 4;
#>   mul.wide.s32 %d4, %r6, 4;
#>   add.s64 %d5, %d4, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r7, %r8, %r9, %r10}, [%d5];
#>   add.rn.f32 %r11, %r7, 0f3F800000;
#>   add.rn.f32 %r12, %r8, 0f3F800000;
#>   add.rn.f32 %r13, %r9, 0f3F800000;
#>   add.rn.f32 %r14, %r10, 0f3F800000;
#>   mul.lo.s32 %r15, %r0, 4;
#>   mul.wide.s32 %d6, %r15, 4;
#>   add.s64 %d7, %d6, %d3;
#>   st.global.v4.b32 [%d7], {%r11, %r12, %r13, %r14};
#>   ret;
#> }
