#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py TILELAB [--long]: all puzzles are solved, their questions are not, and the bench detects both.

A file at a time, as a user runs it: the answer prints check marks only; the question made from it runs to its end with
cross marks only, without a traceback. And for every part the judge rejects what wrong kernels would return.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LONG = "--long" in sys.argv and not sys.argv.remove("--long")
TILELAB = sys.argv.pop(1) if len(sys.argv) > 1 else str(ROOT / "build" / "bin" / "tilelab")
sys.path[:0] = [str(pathlib.Path(TILELAB).absolute().parents[1] / "lib" / "tilelab" / "python"), str(HERE)]

import numpy as np  # noqa: E402
import puzzle  # noqa: E402
import question  # noqa: E402

FILES = sorted(HERE.glob("p[0-9][0-9]_*.py"))


def run(path, *arguments):
    """(exit status, stdout, stderr) of a puzzle file; it finds its bench next to the answers."""
    done = subprocess.run([TILELAB, str(path), *arguments], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": str(HERE), "TILELAB_ALLOW": "slow-fallback"})  # tiles of small sizes
    return done.returncode, done.stdout, done.stderr


def parts_of(path):
    return __import__(path.stem).PARTS


def marks(text):
    return text.count(puzzle.RIGHT), text.count(puzzle.WRONG)


class Puzzles(unittest.TestCase):
    def test_there_are_ten_files_one_a_puzzle(self):
        self.assertEqual([f.name[1:3] for f in FILES], [f"{n:02}" for n in range(1, 11)])

    def test_answers(self):
        for path in FILES:
            with self.subTest(path.name):
                status, text, errors = run(path, *(["--long"] if LONG else []))
                runs = sum(len(p.sizes) + LONG for p in parts_of(path))
                self.assertEqual((status, marks(text)), (0, (runs, 0)), text + errors)
                self.assertEqual(errors, "")
                if LONG:
                    print(text, end="")  # with times; bench/run.py holds them against their budget

    def test_questions(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in FILES:
                with self.subTest(path.name):
                    asked = pathlib.Path(folder, path.name)
                    asked.write_text(question.question(path.read_text()))
                    self.assertNotIn("T.Kernel(T.", asked.read_text())
                    status, text, errors = run(asked)
                    runs = sum(len(p.sizes) for p in parts_of(path))
                    self.assertEqual((status, marks(text)), (1, (0, runs)), text + errors)
                    self.assertNotIn("Traceback", text + errors)
                    self.assertIn("(--seed ", text)

    def test_a_seed_repeats_a_run(self):
        path = FILES[4]
        with tempfile.TemporaryDirectory() as folder:
            asked = pathlib.Path(folder, path.name)
            asked.write_text(question.question(path.read_text()))
            first, again, other = (run(asked, "--seed", s)[1] for s in ("7", "7", "8"))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other.replace("--seed 8", "--seed 7"))


class Judge(unittest.TestCase):
    """The results of kernels with typical mistakes are rejected, in any part and size."""

    def setUp(self):
        self.cases = [(part, sizes) for path in FILES for part in parts_of(path) for sizes in part.sizes]

    def right(self, part, sizes):
        values = part.inputs(np.random.default_rng(1), **sizes)
        return values, part.kernel.compile(**sizes)(*values)

    def rejects(self, spoil):
        for part, sizes in self.cases:
            with self.subTest(part.name, **sizes):
                values, got = self.right(part, sizes)
                self.assertIsNone(puzzle.judge(part, values, got))
                spoiled = spoil(got.copy())
                if spoiled is not None:
                    self.assertIsNotNone(puzzle.judge(part, values, spoiled))

    def test_zeros(self):
        self.rejects(lambda got: np.zeros_like(got) if np.count_nonzero(got) else None)

    def test_an_output_that_nothing_has_written(self):
        self.rejects(lambda got: np.full_like(got, np.nan))

    def test_one_element_that_is_off_by_one_in_a_hundred(self):
        def spoil(got):
            where = np.unravel_index(np.argmax(np.abs(got)), got.shape)
            if got[where] == 0:
                return None
            got[where] *= got.dtype.type(1.01)
            return got
        self.rejects(spoil)

    def test_a_tail_that_was_left_out(self):
        def spoil(got):
            got.reshape(-1)[-1] = np.nan
            return got
        self.rejects(spoil)

    def test_a_transposed_or_shifted_result(self):
        self.rejects(lambda got: np.roll(got, 1) if np.unique(got).size > 1 else None)

    def test_a_wrong_shape(self):
        self.rejects(lambda got: got[None])

    def test_inputs_stay_what_they_are(self):
        import tilelab as tilelang
        import tilelab.language as T

        @tilelang.jit
        def spoils_its_input(A):
            N = T.const("N")
            A: T.Tensor((N,), "float32")
            B = T.empty((N,), "float32")
            with T.Kernel(1, threads=32):
                for i in T.Parallel(N):
                    B[i] = A[i]
                    A[i] = 0
            return B

        part = puzzle.Puzzle(spoils_its_input, lambda rng, N: [puzzle.single(rng, N)], lambda a: a, [], {})
        self.assertEqual(puzzle.run(part, dict(N=8), 1)[0], "input 0 was changed")


if __name__ == "__main__":
    unittest.main()
