# test: codegen target=sm_90a ptx=1
# Rounded once, as on the simulator.
def main(A: T.Tensor((64,), "float16"), B: T.Tensor((64,), "bfloat16")):
    with T.Kernel(1, threads=64):
        t = T.get_thread_binding()
        A[t] = T.fma(A[t], A[t], A[t])
        B[t] = T.fma(B[t], B[t], B[t])
#> .version 8.1
#> .target sm_90a
#> .address_size 64
#> .extern .shared .align 1024 .b8 smem[];
#>
#> .visible .entry main_k0(
#>   .param .u64 main_k0_param_0,
#>   .param .u64 main_k0_param_1)
#> .maxntid 64, 1, 1
#> .minnctapersm 1
#> {
#>   .reg .b16 %h<8>;
#>   .reg .b32 %r<6>;
#>   .reg .b64 %d<20>;
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
#>   mul.wide.s32 %d4, %r0, 2;
#>   add.s64 %d5, %d4, %d1;
#>   ld.global.b16 %h0, [%d5];
#>   mul.wide.s32 %d6, %r0, 2;
#>   add.s64 %d7, %d6, %d1;
#>   ld.global.b16 %h1, [%d7];
#>   mul.wide.s32 %d8, %r0, 2;
#>   add.s64 %d9, %d8, %d1;
#>   ld.global.b16 %h2, [%d9];
#>   fma.rn.f16 %h3, %h0, %h1, %h2;
#>   mul.wide.s32 %d10, %r0, 2;
#>   add.s64 %d11, %d10, %d1;
#>   st.global.b16 [%d11], %h3;
#>   mul.wide.s32 %d12, %r0, 2;
#>   add.s64 %d13, %d12, %d3;
#>   ld.global.b16 %h4, [%d13];
#>   mul.wide.s32 %d14, %r0, 2;
#>   add.s64 %d15, %d14, %d3;
#>   ld.global.b16 %h5, [%d15];
#>   mul.wide.s32 %d16, %r0, 2;
#>   add.s64 %d17, %d16, %d3;
#>   ld.global.b16 %h6, [%d17];
#>   fma.rn.bf16 %h7, %h4, %h5, %h6;
#>   mul.wide.s32 %d18, %r0, 2;
#>   add.s64 %d19, %d18, %d3;
#>   st.global.b16 [%d19], %h7;
#>   ret;
#> }
