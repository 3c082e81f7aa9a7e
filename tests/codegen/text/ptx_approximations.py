# test: codegen target=sm_90a ptx=1
# One instruction, and a multiplication for another base.
def main(A: T.Tensor((7, 64), "float32")):
    with T.Kernel(1, threads=64):
        t = T.get_thread_binding()
        A[0, t] = T.__exp(A[0, t])
        A[1, t] = T.__exp10(A[1, t])
        A[2, t] = T.__log(A[2, t])
        A[3, t] = T.__log2(A[3, t])
        A[4, t] = T.__log10(A[4, t])
        A[5, t] = T.__sin(A[5, t])
        A[6, t] = T.__cos(A[6, t])
#> .version 8.1
#> .target sm_90a
#> .address_size 64
#> .extern .shared .align 1024 .b8 smem[];
#>
#> .visible .entry main_k0(
#>   .param .u64 main_k0_param_0)
#> .maxntid 64, 1, 1
#> .minnctapersm 1
#> {
#>   .reg .b32 %r<24>;
#>   .reg .b64 %d<30>;
#>   ld.param.u64 %d0, [main_k0_param_0];
#>   cvta.to.global.u64 %d1, %d0;
#>   mov.u32 %r0, %tid.x;
#>   and.b32 %r1, %r0, 31;
#>   shr.s32 %r2, %r0, 5;
#>   mov.u32 %r3, %ctaid.x;
#>   mov.u32 %r4, %ctaid.y;
#>   mov.u32 %r5, %ctaid.z;
#>   mul.wide.s32 %d2, %r0, 4;
#>   add.s64 %d3, %d2, %d1;
#>   ld.global.b32 %r6, [%d3];
#>   mul.rn.f32 %r7, %r6, 0f3FB8AA3B;
#>   ex2.approx.ftz.f32 %r8, %r7;
#>   mul.wide.s32 %d4, %r0, 4;
#>   add.s64 %d5, %d4, %d1;
#>   st.global.b32 [%d5], %r8;
#>   mul.wide.s32 %d6, %r0, 4;
#>   add.s64 %d7, %d6, %d1;
#>   ld.global.b32 %r9, [%d7+256];
#>   mul.rn.f32 %r10, %r9, 0f40549A78;
#>   ex2.approx.ftz.f32 %r11, %r10;
#>   mul.wide.s32 %d8, %r0, 4;
#>   add.s64 %d9, %d8, %d1;
#>   st.global.b32 [%d9+256], %r11;
#>   mul.wide.s32 %d10, %r0, 4;
#>   add.s64 %d11, %d10, %d1;
#>   ld.global.b32 %r12, [%d11+512];
#>   lg2.approx.f32 %r13, %r12;
#>   mul.rn.f32 %r14, %r13, 0f3F317218;
#>   mul.wide.s32 %d12, %r0, 4;
#>   add.s64 %d13, %d12, %d1;
#>   st.global.b32 [%d13+512], %r14;
#>   mul.wide.s32 %d14, %r0, 4;
#>   add.s64 %d15, %d14, %d1;
#>   ld.global.b32 %r15, [%d15+768];
#>   lg2.approx.f32 %r16, %r15;
#>   mul.wide.s32 %d16, %r0, 4;
#>   add.s64 %d17, %d16, %d1;
#>   st.global.b32 [%d17+768], %r16;
#>   mul.wide.s32 %d18, %r0, 4;
#>   add.s64 %d19, %d18, %d1;
#>   ld.global.b32 %r17, [%d19+1024];
#>   lg2.approx.f32 %r18, %r17;
#>   mul.rn.f32 %r19, %r18, 0f3E9A209B;
#>   mul.wide.s32 %d20, %r0, 4;
#>   add.s64 %d21, %d20, %d1;
#>   st.global.b32 [%d21+1024], %r19;
#>   mul.wide.s32 %d22, %r0, 4;
#>   add.s64 %d23, %d22, %d1;
#>   ld.global.b32 %r20, [%d23+1280];
#>   sin.approx.f32 %r21, %r20;
#>   mul.wide.s32 %d24, %r0, 4;
#>   add.s64 %d25, %d24, %d1;
#>   st.global.b32 [%d25+1280], %r21;
#>   mul.wide.s32 %d26, %r0, 4;
#>   add.s64 %d27, %d26, %d1;
#>   ld.global.b32 %r22, [%d27+1536];
#>   cos.approx.f32 %r23, %r22;
#>   mul.wide.s32 %d28, %r0, 4;
#>   add.s64 %d29, %d28, %d1;
#>   st.global.b32 [%d29+1536], %r23;
#>   ret;
#> }
