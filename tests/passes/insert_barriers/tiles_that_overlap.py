# test: lower target=sm_90a after=insert_barriers
# A tile stores half of the next one's elements, in other threads.
def main(A: T.Tensor((4, 320), "float32"), B: T.Tensor((4, 320), "float32")):
    with T.Kernel(2, threads=32) as block:
        row = T.alloc_fragment((64,), "float32")
        for y, x in T.Persistent([4, 9], 2, block):
            T.copy(A[y, x * 32], row)
            for i in T.Parallel(64):
                B[y, x * 32 + i] = row[i]
#> ir(1, level="tile", target="sm_90a", after="insert_barriers")
#> def main(A: tensor(f32, [4, 320]), B: tensor(f32, [4, 320])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[2, 1, 1], block=32, smem=0) as (block, by, bz):
#>         row = fragment(f32, [64], lay=[[t(32, 1), r(2, 1)]])
#>         for y, x in tiles([4, 9], source="stride", stride=2, order="grouped", group=8):
#>             copy(A[y, x * 32:x * 32 + 64], row, by="simt", vec=2, lay=[[t(32, 1), r(2, 1)]])
#>             block_sync(mem="all")
#>             for i in parallel(64, lay=[[t(32, 1), r(2, 1)]], vec=2):
#>                 B[y, x * 32 + i] = row[i]
