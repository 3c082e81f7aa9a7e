# SPDX-License-Identifier: Apache-2.0
"""Tiles in T.print: all of a small one, the ends of a long one, at most 100 columns."""

import contextlib
import io
import itertools
import random
import types
import unittest

import numpy as np
import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import printed_tiles, records

import support


def shown(shape, value=float):
    elements = {index: value(sum(index)) for index in itertools.product(*map(range, shape))}
    return list(printed_tiles.lines(list(shape), elements))


class Tiles(unittest.TestCase):
    def test_a_small_one_is_whole(self):
        self.assertEqual(shown((2, 3)), ["     0  1  2", "  0  0  1  2", "  1  1  2  3"])

    def test_long_ones_show_their_ends(self):
        lines = shown((64, 64))
        self.assertEqual(len(lines), 19)
        self.assertEqual(lines[9], "  …")
        self.assertTrue(lines[-2].startswith("  63 "))
        self.assertEqual(lines[-2].split()[-1], "126")
        self.assertEqual(lines[-1], "  … 48 rows are omitted (rows=16)")
        for shape in ((64, 64), (3, 1000), (1000, 2), (4, 4, 4, 4), (5000,)):
            lines = shown(shape, lambda n: n / 7)
            self.assertLessEqual(len(lines), 80, shape)
            self.assertLessEqual(max(map(len, lines)), 100, shape)

    def test_one_dimension_is_in_rows_of_ten(self):
        lines = shown((25,), int)
        self.assertEqual([line.split()[:2] for line in lines[1:]], [["0", "0"], ["10", "10"], ["20", "20"]])
        self.assertEqual(lines[-1].split(), ["20", "20", "21", "22", "23", "24"])

    def test_of_more_dimensions_a_few_slices_are_shown(self):
        lines = shown((6, 2, 2))
        self.assertIn("  [3, :, :]", lines)
        self.assertEqual(lines[-1], "  … 2 slices are omitted (slices=4)")

    def test_lost_elements_are_marked(self):
        lines = list(printed_tiles.lines([2, 2], {(0, 0): 1, (1, 1): 4}))
        self.assertEqual([line.split()[1:] for line in lines[1:]], [["1", "?"], ["?", "4"]])

    def test_of_many_slices_the_shown_ones_are_made(self):
        lines = list(printed_tiles.lines((2**31, 2**20, 2, 2), {(0, 0, 0, 1): 7.0}))
        self.assertEqual(lines[0], "  [0, 0, :, :]")
        self.assertIn("slices are omitted", lines[-1])

    def test_events_of_a_device_whose_memory_is_damaged(self):
        place = {"file": "a.py", "line": 3}
        func = types.SimpleNamespace(name="k", record_sites=[("x", "s", shape, place, []) for shape in ([4, 8], None)])
        rng = random.Random(11)
        for _ in range(200):
            records_ = [{"site": rng.randrange(2), "is_assert": False, "block": (0, 0, 0), "thread": 0, "span": place, "index_count": 2,
                         "values": [rng.choice((1.5, float("nan"), 1e300)),
                                    *(rng.choice((0, 1, 3, 7, 2**31 - 1, -2**31, -1)) for _ in range(2))],
                         "dtypes": ["float32", "int32", "int32"]} for _ in range(rng.randrange(6))]
            printed = list(records.lines(func, {"records": records_, "lost_records": 0, "damaged_records": 2}))
            self.assertIn("2 damaged events, omitted: no statement of k writes this data", printed[-1])
        self.assertIn("dtype=int32 value=-2147483648", "\n".join(records.lines(func, {
            "records": [{"site": 0, "is_assert": False, "block": (0, 0, 0), "thread": 0, "span": place, "index_count": 2,
                         "values": [1.5, -2**31, 0], "dtypes": ["float32", "int32", "int32"]}],
            "lost_records": 0, "damaged_records": 0})))

    def test_a_tile_that_is_printed_in_a_loop(self):
        @T.prim_func
        def steps(A: T.Tensor((2, 4), "float32")):
            with T.Kernel(1, threads=4):
                s = T.alloc_shared((4,), "float32")
                for k in T.serial(2):
                    T.copy(A[k, 0], s)
                    T.print(s, msg="step")

        kernel, said = tilelang.compile(steps, target="mp_31"), []
        for level in ("tile", "thread", "flat"):
            out = io.StringIO()
            with support.device("sim:" + level), contextlib.redirect_stdout(out):
                kernel(np.arange(8, dtype="float32").reshape(2, 4))
            said.append(out.getvalue())
        lines = said[0].splitlines()
        self.assertEqual(len(lines), 6)
        self.assertEqual([lines[i].split() for i in (2, 5)], [["0", "0", "1", "2", "3"], ["0", "4", "5", "6", "7"]])
        self.assertEqual(said, said[:1] * 3)


if __name__ == "__main__":
    unittest.main()
