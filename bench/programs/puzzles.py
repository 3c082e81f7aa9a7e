# SPDX-License-Identifier: Apache-2.0
"""The kernels of tests/puzzles at the sizes of the public puzzles: one a number, the one that asks for the most."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "puzzles"))

from p01_copy import PARTS as COPY  # noqa: E402
from p02_scaled_relu import PARTS as SCALED_RELU  # noqa: E402
from p03_outer_sum import PARTS as OUTER_SUM  # noqa: E402
from p04_relu_backward import PARTS as RELU_BACKWARD  # noqa: E402
from p05_row_sums import PARTS as ROW_SUMS  # noqa: E402
from p06_softmax import PARTS as SOFTMAX  # noqa: E402
from p07_scalar_attention import PARTS as SCALAR_ATTENTION  # noqa: E402
from p08_matrix import PARTS as MATRIX, matmul  # noqa: E402, F401
from p09_convolution import PARTS as CONVOLUTION  # noqa: E402
from p10_packed_matmul import PARTS as PACKED_MATMUL  # noqa: E402
from puzzle import half, single  # noqa: E402, F401

# number -> its heaviest part
PUZZLES = {"01": COPY[0], "02": SCALED_RELU[0], "03": OUTER_SUM[0], "04": RELU_BACKWARD[0], "05": ROW_SUMS[0],
           "06": SOFTMAX[0], "07": SCALAR_ATTENTION[0], "08": MATRIX[1], "09": CONVOLUTION[0], "10": PACKED_MATMUL[0]}
