# test: passes run=canonicalize
# The loop over tiles that a mailbox hands on uses its buffer, which no statement names.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [640, 64]), B: tensor(f32, [10])):
    work = workspace(i32, [2], zeroed=True)
    with kernel("k", grid=[4, 1, 1], block=128) as bx:
        box = ring(2, fill="arrive", bytes=4, producer="p", consumer="c")
        mail = shared(i32, [2], lay=[[a(2, 1)]], ring=box)
        other = shared(i32, [2])
        with role("p", 64, 128):
            for i in tiles([10], source="mailbox", ring=box, counter=work, order="last_fastest"):
                pass
        with role("c", 0, 64):
            for i in tiles([10], source="mailbox", ring=box, order="last_fastest"):
                B[i] = f32(A[i, 0])
#> ir(1, level="tile", target="mp_31", after="canonicalize")
#> def f(A: tensor(f16, [640, 64]), B: tensor(f32, [10])):
#>     work = workspace(i32, [2], zeroed=True)
#>     with kernel("k", grid=[4, 1, 1], block=128) as bx:
#>         box = ring(2, fill="arrive", bytes=4, producer="p", consumer="c", unit="warp", arrivals=0)
#>         mail = shared(i32, [2], lay=[[a(2, 1)]], ring=box)
#>         with role("p", 64, 128):
#>             for i in tiles([10], source="mailbox", ring=box, counter=work, order="last_fastest"):
#>                 pass
#>         with role("c", 0, 64):
#>             for i in tiles([10], source="mailbox", ring=box, order="last_fastest"):
#>                 B[i] = f32(A[i, 0])
