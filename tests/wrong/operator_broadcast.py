# SPDX-License-Identifier: Apache-2.0
"""Shapes that cannot be broadcast."""
import numpy as np
import tilelang

tilelang.ops.add(np.ones((2, 3), "float32"), np.ones((2, 4), "float32"))
#> ArgumentError: error[operator-shape]: unsupported shape: (2, 3) and (2, 4) cannot be broadcast, since they have extents 3 and 4
#>   --> operator_broadcast.py, line 6
#>   6 | tilelang.ops.add(np.ones((2, 3), "float32"), np.ones((2, 4), "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass equal extents, or extents of 1, which are repeated
