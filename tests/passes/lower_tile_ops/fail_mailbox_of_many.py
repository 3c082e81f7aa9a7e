# test: passes run=lower_tile_ops
# Threads that do more than feed engines would each draw a ticket.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(B: tensor(f32, [10])):
    work = workspace(i32, [2], zeroed=True)
    with kernel("k", grid=[4, 1, 1], block=128, smem=8) as bx:
        box = ring(2, fill="arrive", bytes=4, producer="p", consumer="c")
        mail = shared(i32, [2], lay=[[a(2, 1)]], at=0, ring=box)
        with role("p", 64, 128):
            for i in tiles([10], source="mailbox", ring=box, counter=work, order="last_fastest"):
                B[i] = 1.0
#> error[pass-not-built]: lower_tile_ops cannot lower a mailbox that several threads fill yet
#>   --> fail_mailbox_of_many.py, line 10
#>  10 |             for i in tiles([10], source="mailbox", ring=box, counter=work, order="last_fastes…
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
