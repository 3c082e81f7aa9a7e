# test: codegen target=sm_90a ptx=1
# A, copied by TMA, and X; Y, which the kernel writes, is loaded as usual.
def main(A: T.Tensor((64, 128), "float16"), X: T.Tensor((512,), "float32"), Y: T.Tensor((512,), "float32")):
    with T.Kernel(1, threads=128):
        T.annotate_l2_hit_ratio({A: 0, X: 0, Y: 0})
        s = T.alloc_shared((64, 128), "float16")
        T.copy(A, s)
        for i in T.Parallel(512):
            Y[i] += X[i] + s[0, i % 128]
#> .version 8.1
#> .target sm_90a
#> .address_size 64
#> .extern .shared .align 1024 .b8 smem[];
#>
#> .visible .entry main_k0(
#>   .param .u64 main_k0_param_0,
#>   .param .u64 main_k0_param_1,
#>   .param .u64 main_k0_param_2)
#> .maxntid 128, 1, 1
#> .minnctapersm 1
#> {
#>   .reg .b16 %h<4>;
#>   .reg .b32 %r<101>;
#>   .reg .b64 %d<47>;
#>   ld.param.u64 %d0, [main_k0_param_0];
#>   cvta.to.global.u64 %d1, %d0;
#>   ld.param.u64 %d2, [main_k0_param_1];
#>   cvta.to.global.u64 %d3, %d2;
#>   ld.param.u64 %d4, [main_k0_param_2];
#>   cvta.to.global.u64 %d5, %d4;
#>   mov.u32 %r0, %tid.x;
#>   and.b32 %r1, %r0, 31;
#>   shr.s32 %r2, %r0, 5;
#>   mov.u32 %r3, %ctaid.x;
#>   mov.u32 %r4, %ctaid.y;
#>   mov.u32 %r5, %ctaid.z;
#>   mov.b32 %r6, smem;
#>   shr.u32 %r7, %r6, 4;
#>   cvt.u64.u32 %d6, %r7;
#>   add.s32 %r8, %r6, 16384;
#>   mul.lo.s32 %r9, %r0, 8;
#>   mul.wide.s32 %d7, %r9, 2;
#>   add.s64 %d8, %d7, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r10, %r11, %r12, %r13}, [%d8];
#>   mul.lo.s32 %r14, %r0, 8;
#>   mul.lo.s32 %r15, %r14, 2;
#>   add.s32 %r16, %r15, %r6;
#>   st.shared.v4.b32 [%r16], {%r10, %r11, %r12, %r13};
#>   mul.lo.s32 %r17, %r0, 8;
#>   mul.wide.s32 %d9, %r17, 2;
#>   add.s64 %d10, %d9, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r18, %r19, %r20, %r21}, [%d10+2048];
#>   mul.lo.s32 %r22, %r0, 8;
#>   mul.lo.s32 %r23, %r22, 2;
#>   add.s32 %r24, %r23, %r6;
#>   st.shared.v4.b32 [%r24+2048], {%r18, %r19, %r20, %r21};
#>   mul.lo.s32 %r25, %r0, 8;
#>   mul.wide.s32 %d11, %r25, 2;
#>   add.s64 %d12, %d11, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r26, %r27, %r28, %r29}, [%d12+4096];
#>   mul.lo.s32 %r30, %r0, 8;
#>   mul.lo.s32 %r31, %r30, 2;
#>   add.s32 %r32, %r31, %r6;
#>   st.shared.v4.b32 [%r32+4096], {%r26, %r27, %r28, %r29};
#>   mul.lo.s32 %r33, %r0, 8;
#>   mul.wide.s32 %d13, %r33, 2;
#>   add.s64 %d14, %d13, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r34, %r35, %r36, %r37}, [%d14+6144];
#>   mul.lo.s32 %r38, %r0, 8;
#>   mul.lo.s32 %r39, %r38, 2;
#>   add.s32 %r40, %r39, %r6;
#>   st.shared.v4.b32 [%r40+6144], {%r34, %r35, %r36, %r37};
#>   mul.lo.s32 %r41, %r0, 8;
#>   mul.wide.s32 %d15, %r41, 2;
#>   add.s64 %d16, %d15, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r42, %r43, %r44, %r45}, [%d16+8192];
#>   mul.lo.s32 %r46, %r0, 8;
#>   mul.lo.s32 %r47, %r46, 2;
#>   add.s32 %r48, %r47, %r6;
#>   st.shared.v4.b32 [%r48+8192], {%r42, %r43, %r44, %r45};
#>   mul.lo.s32 %r49, %r0, 8;
#>   mul.wide.s32 %d17, %r49, 2;
#>   add.s64 %d18, %d17, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r50, %r51, %r52, %r53}, [%d18+10240];
#>   mul.lo.s32 %r54, %r0, 8;
#>   mul.lo.s32 %r55, %r54, 2;
#>   add.s32 %r56, %r55, %r6;
#>   st.shared.v4.b32 [%r56+10240], {%r50, %r51, %r52, %r53};
#>   mul.lo.s32 %r57, %r0, 8;
#>   mul.wide.s32 %d19, %r57, 2;
#>   add.s64 %d20, %d19, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r58, %r59, %r60, %r61}, [%d20+12288];
#>   mul.lo.s32 %r62, %r0, 8;
#>   mul.lo.s32 %r63, %r62, 2;
#>   add.s32 %r64, %r63, %r6;
#>   st.shared.v4.b32 [%r64+12288], {%r58, %r59, %r60, %r61};
#>   mul.lo.s32 %r65, %r0, 8;
#>   mul.wide.s32 %d21, %r65, 2;
#>   add.s64 %d22, %d21, %d1;
#>   ld.global.nc.L1::evict_first.v4.b32 {%r66, %r67, %r68, %r69}, [%d22+14336];
#>   mul.lo.s32 %r70, %r0, 8;
#>   mul.lo.s32 %r71, %r70, 2;
#>   add.s32 %r72, %r71, %r6;
#>   st.shared.v4.b32 [%r72+14336], {%r66, %r67, %r68, %r69};
#> $L0:
#>   bar.sync 0;
#>   mul.wide.s32 %d23, %r0, 4;
#>   add.s64 %d24, %d23, %d5;
#>   ld.global.b32 %r73, [%d24];
#>   mul.wide.s32 %d25, %r0, 4;
#>   add.s64 %d26, %d25, %d3;
#>   ld.global.nc.L1::evict_first.b32 %r74, [%d26];
#>   mul.lo.s32 %r75, %r0, 2;
#>   add.s32 %r76, %r75, %r6;
#>   ld.shared.b16 %h0, [%r76];
#>   cvt.f32.f16 %r77, %h0;
#>   add.rn.f32 %r78, %r74, %r77;
#>   add.rn.f32 %r79, %r73, %r78;
#>   mul.wide.s32 %d27, %r0, 4;
#>   add.s64 %d28, %d27, %d5;
#>   st.global.b32 [%d28], %r79;
#>   mul.wide.s32 %d29, %r0, 4;
#>   add.s64 %d30, %d29, %d5;
#>   ld.global.b32 %r80, [%d30+512];
#>   mul.wide.s32 %d31, %r0, 4;
#>   add.s64 %d32, %d31, %d3;
#>   ld.global.nc.L1::evict_first.b32 %r81, [%d32+512];
#>   mul.lo.s32 %r82, %r0, 2;
#>   add.s32 %r83, %r82, %r6;
#>   ld.shared.b16 %h1, [%r83];
#>   cvt.f32.f16 %r84, %h1;
#>   add.rn.f32 %r85, %r81, %r84;
#>   add.rn.f32 %r86, %r80, %r85;
#>   mul.wide.s32 %d33, %r0, 4;
#>   add.s64 %d34, %d33, %d5;
#>   st.global.b32 [%d34+512], %r86;
#>   mul.wide.s32 %d35, %r0, 4;
#>   add.s64 %d36, %d35, %d5;
#>   ld.global.b32 %r87, [%d36+1024];
#>   mul.wide.s32 %d37, %r0, 4;
#>   add.s64 %d38, %d37, %d3;
#>   ld.global.nc.L1::evict_first.b32 %r88, [%d38+1024];
#>   mul.lo.s32 %r89, %r0, 2;
#>   add.s32 %r90, %r89, %r6;
#>   ld.shared.b16 %h2, [%r90];
#>   cvt.f32.f16 %r91, %h2;
#>   add.rn.f32 %r92, %r88, %r91;
#>   add.rn.f32 %r93, %r87, %r92;
#>   mul.wide.s32 %d39, %r0, 4;
#>   add.s64 %d40, %d39, %d5;
#>   st.global.b32 [%d40+1024], %r93;
#>   mul.wide.s32 %d41, %r0, 4;
#>   add.s64 %d42, %d41, %d5;
#>   ld.global.b32 %r94, [%d42+1536];
#>   mul.wide.s32 %d43, %r0, 4;
#>   add.s64 %d44, %d43, %d3;
#>   ld.global.nc.L1::evict_first.b32 %r95, [%d44+1536];
#>   mul.lo.s32 %r96, %r0, 2;
#>   add.s32 %r97, %r96, %r6;
#>   ld.shared.b16 %h3, [%r97];
#>   cvt.f32.f16 %r98, %h3;
#>   add.rn.f32 %r99, %r95, %r98;
#>   add.rn.f32 %r100, %r94, %r99;
#>   mul.wide.s32 %d45, %r0, 4;
#>   add.s64 %d46, %d45, %d5;
#>   st.global.b32 [%d46+1536], %r100;
#> $L1:
#>   ret;
#> }
