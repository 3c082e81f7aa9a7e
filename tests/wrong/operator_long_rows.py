# SPDX-License-Identifier: Apache-2.0
"""Rows that are too long for the shared memory of a block."""
import numpy as np
import tilelang

tilelang.ops.sort(np.ones((2, 5000), "float32"))
#> ArgumentError: error[operator-shape]: unsupported shape: rows of 5000 elements, sort takes at most 4096
#>   --> operator_long_rows.py, line 6
#>   6 | tilelang.ops.sort(np.ones((2, 5000), "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: sort parts of the rows, or use topk
