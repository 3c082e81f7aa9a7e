# SPDX-License-Identifier: Apache-2.0
"""A probability above 1."""
import numpy as np
import tilelang

tilelang.ops.dropout(np.ones((6, 2), "float32"), 1.5, 1)
#> ArgumentError: error[operator-argument]: operator dropout, argument p: 0 <= p <= 1 expected, got 1.5
#>   --> dropout_probability.py, line 6
#>   6 | tilelang.ops.dropout(np.ones((6, 2), "float32"), 1.5, 1)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a number for which 0 <= p <= 1
