# test: codegen target=sm_90a ptx=1
# A thread's array takes the registers that 1024 threads may have: nothing moves ahead of the loop.
def main(A: T.Tensor((16, 128), "float32"), B: T.Tensor((1024, 40), "float32"), n: T.int32):
    with T.Kernel(1, threads=1024):
        t = T.get_thread_binding()
        s = T.alloc_local((40,), "float32")
        for k in T.unroll(40):
            s[k] = 0.0
        for i in T.serial(n):
            s[0] = s[0] + A[i, (t * 5) % 128]
        B[t, 0] = s[0]
#> .version 8.1
#> .target sm_90a
#> .address_size 64
#> .extern .shared .align 1024 .b8 smem[];
#>
#> .visible .entry main_k0(
#>   .param .u64 main_k0_param_0,
#>   .param .u64 main_k0_param_1,
#>   .param .b32 main_k0_param_2)
#> .maxntid 1024, 1, 1
#> .minnctapersm 1
#> {
#>   .reg .pred %p<3>;
#>   .reg .b32 %r<97>;
#>   .reg .b64 %d<8>;
#>   ld.param.u64 %d0, [main_k0_param_0];
#>   cvta.to.global.u64 %d1, %d0;
#>   ld.param.u64 %d2, [main_k0_param_1];
#>   cvta.to.global.u64 %d3, %d2;
#>   ld.param.b32 %r0, [main_k0_param_2];
#>   mov.u32 %r1, %tid.x;
#>   and.b32 %r2, %r1, 31;
#>   shr.s32 %r3, %r1, 5;
#>   mov.u32 %r4, %ctaid.x;
#>   mov.u32 %r5, %ctaid.y;
#>   mov.u32 %r6, %ctaid.z;
#>   mov.b32 %r47, 0x0;
#>   mov.b32 %r7, %r47;
#>   mov.b32 %r48, 0x0;
#>   mov.b32 %r8, %r48;
#>   mov.b32 %r49, 0x0;
#>   mov.b32 %r9, %r49;
#>   mov.b32 %r50, 0x0;
#>   mov.b32 %r10, %r50;
#>   mov.b32 %r51, 0x0;
#>   mov.b32 %r11, %r51;
#>   mov.b32 %r52, 0x0;
#>   mov.b32 %r12, %r52;
#>   mov.b32 %r53, 0x0;
#>   mov.b32 %r13, %r53;
#>   mov.b32 %r54, 0x0;
#>   mov.b32 %r14, %r54;
#>   mov.b32 %r55, 0x0;
#>   mov.b32 %r15, %r55;
#>   mov.b32 %r56, 0x0;
#>   mov.b32 %r16, %r56;
#>   mov.b32 %r57, 0x0;
#>   mov.b32 %r17, %r57;
#>   mov.b32 %r58, 0x0;
#>   mov.b32 %r18, %r58;
#>   mov.b32 %r59, 0x0;
#>   mov.b32 %r19, %r59;
#>   mov.b32 %r60, 0x0;
#>   mov.b32 %r20, %r60;
#>   mov.b32 %r61, 0x0;
#>   mov.b32 %r21, %r61;
#>   mov.b32 %r62, 0x0;
#>   mov.b32 %r22, %r62;
#>   mov.b32 %r63, 0x0;
#>   mov.b32 %r23, %r63;
#>   mov.b32 %r64, 0x0;
#>   mov.b32 %r24, %r64;
#>   mov.b32 %r65, 0x0;
#>   mov.b32 %r25, %r65;
#>   mov.b32 %r66, 0x0;
#>   mov.b32 %r26, %r66;
#>   mov.b32 %r67, 0x0;
#>   mov.b32 %r27, %r67;
#>   mov.b32 %r68, 0x0;
#>   mov.b32 %r28, %r68;
#>   mov.b32 %r69, 0x0;
#>   mov.b32 %r29, %r69;
#>   mov.b32 %r70, 0x0;
#>   mov.b32 %r30, %r70;
#>   mov.b32 %r71, 0x0;
#>   mov.b32 %r31, %r71;
#>   mov.b32 %r72, 0x0;
#>   mov.b32 %r32, %r72;
#>   mov.b32 %r73, 0x0;
#>   mov.b32 %r33, %r73;
#>   mov.b32 %r74, 0x0;
#>   mov.b32 %r34, %r74;
#>   mov.b32 %r75, 0x0;
#>   mov.b32 %r35, %r75;
#>   mov.b32 %r76, 0x0;
#>   mov.b32 %r36, %r76;
#>   mov.b32 %r77, 0x0;
#>   mov.b32 %r37, %r77;
#>   mov.b32 %r78, 0x0;
#>   mov.b32 %r38, %r78;
#>   mov.b32 %r79, 0x0;
#>   mov.b32 %r39, %r79;
#>   mov.b32 %r80, 0x0;
#>   mov.b32 %r40, %r80;
#>   mov.b32 %r81, 0x0;
#>   mov.b32 %r41, %r81;
#>   mov.b32 %r82, 0x0;
#>   mov.b32 %r42, %r82;
#>   mov.b32 %r83, 0x0;
#>   mov.b32 %r43, %r83;
#>   mov.b32 %r84, 0x0;
#>   mov.b32 %r44, %r84;
#>   mov.b32 %r85, 0x0;
#>   mov.b32 %r45, %r85;
#>   mov.b32 %r86, 0x0;
#>   mov.b32 %r46, %r86;
#> $L0:
#>   mov.b32 %r88, 0x0;
#>   mov.b32 %r87, %r88;
#>   setp.ge.s32 %p0, %r87, %r0;
#>   @%p0 bra $L2;
#> $L1:
#>   setp.lt.s32 %p1, %r87, 16;
#>   mul.lo.s32 %r89, %r87, 128;
#>   mul.lo.s32 %r90, %r1, 5;
#>   and.b32 %r91, %r90, 127;
#>   add.s32 %r92, %r89, %r91;
#>   mul.wide.s32 %d4, %r92, 4;
#>   add.s64 %d5, %d4, %d1;
#>   mov.b32 %r93, 0x0;
#>   mov.b32 %r94, %r93;
#>   @%p1 ld.global.nc.b32 %r94, [%d5];
#>   add.rn.f32 %r95, %r7, %r94;
#>   mov.b32 %r7, %r95;
#>   add.s32 %r87, %r87, 1;
#>   setp.ge.s32 %p2, %r87, %r0;
#>   @!%p2 bra $L1;
#> $L2:
#>   mul.lo.s32 %r96, %r1, 40;
#>   mul.wide.s32 %d6, %r96, 4;
#>   add.s64 %d7, %d6, %d3;
#>   st.global.b32 [%d7], %r7;
#>   ret;
#> }
