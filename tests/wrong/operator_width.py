# SPDX-License-Identifier: Apache-2.0
"""Weights of another width than the rows."""
import numpy as np
import tilelang

tilelang.ops.linear(np.zeros((2, 12), "float32"), np.zeros((5, 16), "float32"), np.zeros(5, "float32"))
#> ArgumentError: error[operator-argument]: operator linear, argument x: a tensor (..., K) with K = 16 expected, got one of shape (2, 12)
#>   --> operator_width.py, line 6
#>   6 | tilelang.ops.linear(np.zeros((2, 12), "float32"), np.zeros((5, 16), "float32"), np.zeros(5, "…
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass weight (N, K), x (..., K), bias (N,)
