# test: passes run=schedule_pipelines
# The values that panel blocks compute first come after the kernel's own rings.
ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [512, 256])):
    with kernel("k", grid=[4, 8, 1], block=128, attrs={"panel": 3, "panel_order": "row"}) as (bx, by, bz):
        out = ring(1, fill="store", bytes=8192, producer="main", consumer="main", unit="group", arrivals=0)
        s = shared(f16, [64, 64])
        copy(A[by * 64:by * 64 + 64, bx * 64:bx * 64 + 64], s, by="simt")
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [512, 256])):
#>     with kernel("k", grid=[4, 8, 1], block=128) as (block, block_1, bz):
#>         out = ring(1, fill="store", bytes=8192, producer="main", consumer="main", unit="group", arrivals=0)
#>         number = block_1 * 4 + block
#>         panel = number // 12
#>         within = number % 12
#>         rows = 8 - panel * 3 if 8 - panel * 3 < 3 else 3
#>         far = within // rows
#>         bx = 3 - far if panel % 2 == 1 else far
#>         by = panel * 3 + within % rows
#>         assume("", bx >= 0 and bx < 4)
#>         assume("", by >= 0 and by < 8)
#>         s = shared(f16, [64, 64])
#>         copy(A[by * 64:by * 64 + 64, bx * 64:bx * 64 + 64], s, by="simt")
