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

    session_imports = False
    meanwhile = 0  # finalizers that ran while the session imported

    def __init__(self, number):
        self.cycle, self.number = self, number

    def __del__(self):
        sys.modules[f"imported_{self.number}"] = types.ModuleType("imported")
        Importing.meanwhile += Importing.session_imports


class Pristine(unittest.TestCase):
    def test_a_finalizer_imports_meanwhile(self):
        self.addCleanup(gc.set_threshold, *gc.get_threshold())
        before = set(sys.modules)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in set(sys.modules) - before])
        for threshold in range(5, 400):
            gc.collect()
            gc.set_threshold(threshold)
            Importing(threshold)
            Importing.session_imports = True
            self.assertEqual(pristine._import_from_library("termios", ()).__name__, "termios")
            Importing.session_imports = False
        self.assertGreater(Importing.meanwhile, 0)


if __name__ == "__main__":
    unittest.main()
