# test: passes run=lower_tile_ops
ir(1, level="tile", target="mp_31", after="insert_barriers")
def clear(A: tensor(f16, [64, 64])):
    with kernel("clear_k0", grid=[4, 1, 1], block=128) as (bx, by, bz):
        for i in tiles(domain=[8], source="mailbox", order="last_fastest"):
            pass
#> error[pass-not-built]: lower_tile_ops does not lower a mailbox without a buffer of tickets yet
#>   --> fail_mailbox.py, line 5
#>   5 |         for i in tiles(domain=[8], source="mailbox", order="last_fastest"):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: give the text of the next level by hand, or another form of the operation
