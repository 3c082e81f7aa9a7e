# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments by TileLang's names where a parameter has another name here, and the order of masks."""

import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T


def of_lanes(*columns):
    """The values of functions of a lane's number, a column each."""
    count = len(columns)

    @T.prim_func
    def main(S: T.Tensor((32, count), "int32")):
        with T.Kernel(1, threads=32):
            lane = T.get_lane_idx()
            for i, column in enumerate(columns):
                S[lane, i] = T.cast(column(lane), "int32")

    out = np.zeros((32, count), "int32")
    tilelang.compile(main)(out)
    return out.T


class ParameterNames(unittest.TestCase):
    def test_values(self):
        lanes = np.arange(32)
        made = of_lanes(lambda x: T.ceildiv(lhs=x, rhs=3), lambda x: T.if_then_else(cond=x > 3, t=1, f=2),
                        lambda x: T.bitwise_and(x=x, y=5), lambda x: T.clamp(dst=x, min_val=3, max_val=9),
                        lambda x: T.shfl_xor(x, delta=1), lambda x: T.shfl_sync(x, srcLane=4),
                        lambda x: T.ieee_add(x=T.cast(x, "float32"), y=1.0))
        expected = (-(-lanes // 3), np.where(lanes > 3, 1, 2), lanes & 5, lanes.clip(3, 9), lanes ^ 1, lanes * 0 + 4, lanes + 1)
        for column, values in zip(made, expected):
            np.testing.assert_array_equal(column, values)

    def test_reductions_and_reducers(self):
        @T.prim_func
        def main(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8,), "float32"), C: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=64):
                tile = T.alloc_fragment((8, 64), "float32")
                sums = T.alloc_fragment((8,), "float32")
                T.copy(A, tile)
                T.reduce_sum(buffer=tile, out=sums, dim=1)
                T.copy(sums, B)
                acc = T.alloc_reducer((8,), "float32", op="sum", replication="all")
                T.clear(acc)
                for i, j in T.Parallel(8, 64):
                    acc[i] += tile[i, j]
                T.finalize_reducer(reducer=acc)
                T.copy(acc, C)

        a = np.random.default_rng(0).integers(-8, 9, (8, 64)).astype("float32")
        b, c = np.zeros(8, "float32"), np.zeros(8, "float32")
        tilelang.compile(main)(a, b, c)
        np.testing.assert_array_equal(b, a.sum(1))
        np.testing.assert_array_equal(c, a.sum(1))

    def test_masks_come_last_in_the_language_and_first_in_cuda(self):
        votes = of_lanes(lambda x: T.ballot_sync(x < 4), lambda x: T.ballot_sync(x < 4, 0xffffffff),
                         lambda x: T.call_extern("uint32", "__ballot_sync", 0xffffffff, x < 4))
        np.testing.assert_array_equal(votes, 15)
        lanes = np.arange(32)
        moved = of_lanes(lambda x: T.call_extern("int32", "__shfl_xor_sync", 0xffffffff, x, 1),
                         lambda x: T.call_extern("int32", "__any_sync", 0xffffffff, x == 7),
                         lambda x: T.call_extern("uint32", "__match_any_sync", 0xffffffff, x % 2) & 3)
        for column, values in zip(moved, (lanes ^ 1, lanes * 0 + 1, lanes % 2 + 1)):
            np.testing.assert_array_equal(column, values)

    def test_a_parameter_is_given_once(self):
        with self.assertRaisesRegex(tilelang.CompileError, "call-twice"):
            of_lanes(lambda x: T.ceildiv(x, 3, lhs=2))

    def test_unknown_names_are_reported(self):
        with self.assertRaisesRegex(tilelang.CompileError, "call-keyword"):
            of_lanes(lambda x: T.ceildiv(x, 3, buffer=2))


if __name__ == "__main__":
    unittest.main()
