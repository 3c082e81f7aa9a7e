# SPDX-License-Identifier: Apache-2.0
"""The session imports Python's own library, whatever a cell does to modules and whenever the collector runs."""
import gc
import sys
import types
import unittest

import support  # noqa: F401
from tilelab._session import pristine


class Importing:
    """Garbage of a cycle, whose finalizer imports, as that of a task that asyncio logs."""

    def __init__(self):
        self.cycle = self

    def __del__(self):
        sys.modules[f"imported_{id(self)}"] = types.ModuleType("imported")


class Pristine(unittest.TestCase):
    def test_a_finalizer_imports_meanwhile(self):
        self.addCleanup(gc.set_threshold, *gc.get_threshold())
        before = set(sys.modules)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in set(sys.modules) - before])
        for threshold in range(10, 200, 10):
            gc.collect()
            gc.set_threshold(threshold)
            Importing()
            self.assertEqual(pristine._import_from_library("termios", ()).__name__, "termios")
        self.assertGreater(len(set(sys.modules) - before), 5)


if __name__ == "__main__":
    unittest.main()
