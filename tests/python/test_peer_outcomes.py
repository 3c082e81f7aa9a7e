# SPDX-License-Identifier: Apache-2.0
"""The classes into which tests/peer puts what failed: each from a message of its kind."""

import sys
import unittest

import support

sys.path.insert(0, str(support.ROOT / "tests" / "peer"))
import examples  # noqa: E402
import outcomes  # noqa: E402
import portable  # noqa: E402

MESSAGES = (
    ("tilelang.contrib.nvcc.compile_cuda is planned, but not supported yet.", "planned"),
    ("ModuleNotFoundError: tilelab has no tilelang.cuda", "missing name"),
    ("ImportError: cannot import name 'x' from 'tilelab.tvm'", "missing name"),
    ("tilelab.CompileError: error[copy-shape]: this copy moves", "refused for a stated reason"),
    ("Failed: DID NOT RAISE <class 'ValueError'>", "expects another compiler's text"),
    ("assert 'mma.sync' in 'extern ...'", "expects another compiler's text"),
    ("the compute capability here is 9.0, requested is ge 10.0", "needs a GPU or matrix unit"),
    ("ModuleNotFoundError: No module named 'einops'", "needs a package"),
    ("AssertionError: Tensor-likes are not close! Mismatched elements: 3 / 4", "wrong"),
    ("over 60 s", "too slow"),
)


class Outcomes(unittest.TestCase):
    def test_classes(self):
        for message, kind in MESSAGES:
            with self.subTest(message):
                self.assertEqual(outcomes.class_of(message), kind)

    def test_the_list_is_read_by_file_and_class(self):
        import tempfile

        with tempfile.NamedTemporaryFile("w", suffix=".txt") as listing:
            listing.write("# comment\ncpu\ta/test_x.py::test_1\t1\ndiag\ta/test_x.py::test_2\t1\nsm90\tb/test_y.py\t1\n")
            listing.flush()
            of_cpu = {"a/test_x.py": ["a/test_x.py::test_1", "a/test_x.py::test_2"]}
            self.assertEqual(portable.nodes_by_file(listing.name, portable.CLASSES, []), of_cpu)
            self.assertEqual(portable.nodes_by_file(listing.name, portable.GPU_CLASSES, []),
                             {**of_cpu, "b/test_y.py": ["b/test_y.py"]})
            self.assertEqual(portable.nodes_by_file(listing.name, portable.GPU_CLASSES, ["test_y"]), {"b/test_y.py": ["b/test_y.py"]})

    def test_examples_are_calls(self):
        rows = list(examples.rows([]))
        self.assertGreaterEqual(len(rows), 50)
        for path, call in rows:
            self.assertTrue(path.endswith(".py"), path)
            compile(call, path, "eval")


if __name__ == "__main__":
    unittest.main()
