# test: lower target=sm_90a after=insert_barriers
# No two tiles store the same elements, although other threads store those of the next one: no barrier between them.
def main(A: T.Tensor((4, 256), "float32"), B: T.Tensor((4, 256), "float32")):
    with T.Kernel(2, threads=32) as block:
        row = T.alloc_fragment((64,), "float32")
        for y, x in T.Persistent([4, 4], 2, block):
            T.copy(A[y, x * 64], row)
            for i in T.Parallel(64):
                B[y, x * 64 + i] = row[i]
#> ir(1, level="tile", target="sm_90a", after="insert_barriers")
#> def main(A: tensor(f32, [4, 256]), B: tensor(f32, [4, 256])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[2, 1, 1], block=32, smem=0) as (block, by, bz):
#>         row = fragment(f32, [64], lay=[[t(32, 1), r(2, 1)]])
#>         for y, x in tiles([4, 4], source="stride", stride=2, order="grouped", group=4):
#>             copy(A[y, x * 64:x * 64 + 64], row, by="simt", vec=2, lay=[[t(32, 1), r(2, 1)]])
#>             for i in parallel(64, lay=[[t(32, 1), r(2, 1)]], vec=2):
#>                 B[y, x * 64 + i] = row[i]
