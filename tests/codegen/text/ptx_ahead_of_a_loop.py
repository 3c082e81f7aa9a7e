# test: codegen target=sm_90a ptx=1
# Addresses that no iteration changes are computed ahead of the loop, those of an inner loop ahead of
# the outer one. The row depends on the iteration of the outer loop, so that its sum stays there.
def main(A: T.Tensor((8, 16, 128), "float32"), B: T.Tensor((128,), "float32"), n: T.int32, m: T.int32):
    with T.Kernel(1, threads=128):
        t = T.get_thread_binding()
        s = T.alloc_var("float32")
        s = 0.0
        for i in T.serial(n):
            for j in T.serial(m):
                s = s + A[i, j, (t * 5) % 128]
        B[t] = s
#> .version 8.1
#> .target sm_90a
#> .address_size 64
#> .extern .shared .align 1024 .b8 smem[];
#>
#> .visible .entry main_k0(
#>   .param .u64 main_k0_param_0,
#>   .param .u64 main_k0_param_1,
#>   .param .b32 main_k0_param_2,
#>   .param .b32 main_k0_param_3)
#> .maxntid 128, 1, 1
#> .minnctapersm 1
#> {
#>   .reg .pred %p<7>;
#>   .reg .b32 %r<24>;
#>   .reg .b64 %d<8>;
#>   ld.param.u64 %d0, [main_k0_param_0];
#>   cvta.to.global.u64 %d1, %d0;
#>   ld.param.u64 %d2, [main_k0_param_1];
#>   cvta.to.global.u64 %d3, %d2;
#>   ld.param.b32 %r0, [main_k0_param_2];
#>   ld.param.b32 %r1, [main_k0_param_3];
#>   mov.u32 %r2, %tid.x;
#>   and.b32 %r3, %r2, 31;
#>   shr.s32 %r4, %r2, 5;
#>   mov.u32 %r5, %ctaid.x;
#>   mov.u32 %r6, %ctaid.y;
#>   mov.u32 %r7, %ctaid.z;
#>   mov.b32 %r9, 0x0;
#>   mov.b32 %r8, %r9;
#>   mov.b32 %r10, 0x0;
#>   mov.b32 %r8, %r10;
#>   mov.b32 %r12, 0x0;
#>   mov.b32 %r11, %r12;
#>   setp.ge.s32 %p0, %r11, %r0;
#>   @%p0 bra $L1;
#>   mul.lo.s32 %r18, %r2, 5;
#>   and.b32 %r19, %r18, 127;
#> $L0:
#>   mov.b32 %r14, 0x0;
#>   mov.b32 %r13, %r14;
#>   setp.ge.s32 %p1, %r13, %r1;
#>   @%p1 bra $L3;
#>   mul.lo.s32 %r15, %r11, 16;
#> $L2:
#>   setp.lt.s32 %p2, %r11, 8;
#>   setp.lt.s32 %p3, %r13, 16;
#>   and.pred %p4, %p2, %p3;
#>   add.s32 %r16, %r15, %r13;
#>   mul.lo.s32 %r17, %r16, 128;
#>   add.s32 %r20, %r17, %r19;
#>   mul.wide.s32 %d4, %r20, 4;
#>   add.s64 %d5, %d4, %d1;
#>   mov.b32 %r21, 0x0;
#>   mov.b32 %r22, %r21;
#>   @%p4 ld.global.nc.b32 %r22, [%d5];
#>   add.rn.f32 %r23, %r8, %r22;
#>   mov.b32 %r8, %r23;
#>   add.s32 %r13, %r13, 1;
#>   setp.ge.s32 %p5, %r13, %r1;
#>   @!%p5 bra $L2;
#> $L3:
#>   add.s32 %r11, %r11, 1;
#>   setp.ge.s32 %p6, %r11, %r0;
#>   @!%p6 bra $L0;
#> $L1:
#>   mul.wide.s32 %d6, %r2, 4;
#>   add.s64 %d7, %d6, %d3;
#>   st.global.b32 [%d7], %r8;
#>   ret;
#> }
