# test: lower target=sm_90a after=insert_barriers
# No two tiles store the same rows, so that only the iterations of a tile could store the same elements: they start at one value of memory,
# which is fixed for the tile, and each starts after the end of the one before. The rows of the second loop are those of all tiles: it has a barrier.
def main(F: T.Tensor((4,), "int32"), A: T.Tensor((4, 256), "float32"), B: T.Tensor((4, 2, 512), "float32"), C: T.Tensor((2, 2, 512), "float32")):
    with T.Kernel(2, threads=32) as block:
        row = T.alloc_fragment((64,), "float32")
        first = T.alloc_var("int32")
        for y, x in T.Persistent([4, 2], 2, block):
            first = F[y]
            for k in T.serial(4):
                T.copy(A[y, k * 64], row)
                for i in T.Parallel(64):
                    B[y, x, first + k * 64 + i] = row[i]
            for k in T.serial(4):
                for i in T.Parallel(64):
                    C[y // 2, x, first + k * 64 + i] = row[i]
#> ir(1, level="tile", target="sm_90a", after="insert_barriers")
#> def main(F: tensor(i32, [4]), A: tensor(f32, [4, 256]), B: tensor(f32, [4, 2, 512]), C: tensor(f32, [2, 2, 512])):
#>     check_tensor(F, align=16)
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     check_tensor(C, align=16, write=True)
#>     with kernel("main_k0", grid=[2, 1, 1], block=32, smem=0) as (block, by, bz):
#>         row = fragment(f32, [64], lay=[[t(32, 1), r(2, 1)]])
#>         first = var(i32, 0)
#>         for y, x in tiles([4, 2], source="stride", stride=2, order="grouped", group=2):
#>             first = F[y]
#>             for k in serial(4):
#>                 copy(A[y, k * 64:k * 64 + 64], row, by="simt", vec=2, lay=[[t(32, 1), r(2, 1)]])
#>                 for i in parallel(64, lay=[[t(32, 1), r(2, 1)]], vec=1):
#>                     B[y, x, first + k * 64 + i] = row[i]
#>             for k in serial(4):
#>                 block_sync(mem="all")
#>                 for i in parallel(64, lay=[[t(32, 1), r(2, 1)]], vec=1):
#>                     C[y // 2, x, first + k * 64 + i] = row[i]
