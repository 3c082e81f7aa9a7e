# SPDX-License-Identifier: Apache-2.0
"""A transformer of tilelab's layers follows the losses of the same transformer in plain torch (bench/train.py), on the CPU device."""

import importlib.util
import os
import sys
import unittest

import support

sys.path.insert(0, str(support.ROOT / "bench"))


@unittest.skipIf(importlib.util.find_spec("torch") is None, "trains a model of torch: pip install torch")
class Training(unittest.TestCase):
    def test_losses_are_those_of_torch(self):
        import train

        steps = 200 if os.environ.get("TILELAB_LONG") else 4
        losses, _ = train.run("toy", steps)
        difference = max(abs(a - b) for a, b in zip(losses["tilelab"], losses["torch"]))
        self.assertLess(difference, 2e-2 if steps > 4 else 1e-4)
        self.assertLess(losses["tilelab"][-1], losses["tilelab"][0])


if __name__ == "__main__":
    unittest.main()
