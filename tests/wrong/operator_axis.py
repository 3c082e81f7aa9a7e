# SPDX-License-Identifier: Apache-2.0
"""An axis that is a string."""
import numpy as np
import tilelang

tilelang.sum(np.ones((2, 3), "float32"), axis="last")
#> ArgumentError: error[operator-argument]: operator sum, argument axis: an integer expected, got a value of type str
#>   --> operator_axis.py, line 6
#>   6 | tilelang.sum(np.ones((2, 3), "float32"), axis="last")
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: call it as sum(x: Tensor, axis: int | None = None, keepdim: bool = False)
