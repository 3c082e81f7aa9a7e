# test: passes run=select_instructions
# Two lines for 128 threads: parts of 9, whose ends are scanned one after another.
ir(1, level="tile", target="sm_80")
def f():
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f32, [2, 64])
        fill(s[0:2, 0:64], 1.0)
        scan(s[0:2, 0:64], s[0:2, 0:64], op="sum", dim=1, reverse=True)
#> ir(1, level="tile", target="sm_80", after="select_instructions")
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f32, [2, 64])
#>         fill(s, 1.0)
#>         last = shared(f32, [2, 7], of="scan@8")
#>         for i, p in parallel(2, 8):
#>             for k_1 in serial(1, 9):
#>                 if p * 9 + k_1 < 64:
#>                     s[i, 63 - (p * 9 + k_1)] = s[i, 63 - (p * 9 + k_1 - 1)] + s[i, 63 - (p * 9 + k_1)]
#>         for i_1, p_1 in parallel(2, 7):
#>             last[i_1, p_1] = s[i_1, 63 - (p_1 * 9 + 8)]
#>         for i_2 in parallel(2):
#>             for k_2 in serial(1, 7):
#>                 last[i_2, k_2] = last[i_2, k_2 - 1] + last[i_2, k_2]
#>         for i_3, p_2 in parallel(2, 55):
#>             s[i_3, 63 - (p_2 + 9)] = last[i_3, p_2 // 9] + s[i_3, 63 - (p_2 + 9)]
