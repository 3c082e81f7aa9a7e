# SPDX-License-Identifier: Apache-2.0
"""Every kernel of the operators compiles for a GPU with rows that start at multiples of 16 bytes, the form that most calls get there."""

import importlib
import os
import unittest

os.environ["TILELANG_DEFAULT_TARGET"] = "sm_90a"

import support  # noqa: E402,F401
from test_operators import Draw  # noqa: E402

from tilelab import ops  # noqa: E402

launch = importlib.import_module("tilelab.ops.launch")


class AlignedKernels(unittest.TestCase):
    def test_all_compile(self):
        kernels = {}
        for name in ops.names():
            operator = getattr(ops, name)
            args, kwargs = next(iter(operator.example(Draw(operator.dtypes[0], 1), 1)))
            with launch.recording() as launched:
                operator(*args, **kwargs)
            kernels.update((id(kernel), (name, kernel)) for kernel, _ in launched)
        dynamic = [(name, kernel) for name, kernel in kernels.values() if kernel._row_dims]
        self.assertGreater(len(dynamic), 20)
        for name, kernel in dynamic:
            with self.subTest(name):
                source = kernel.aligned().get_kernel_source()
                if name in ("gemm", "linear", "grouped_gemm"):
                    self.assertIn("tma_load", source)
                    self.assertIn("wgmma", source)


if __name__ == "__main__":
    unittest.main()
