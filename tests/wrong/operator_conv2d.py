# SPDX-License-Identifier: Apache-2.0
"""A filter that is larger than the image."""
import numpy as np
import tilelang

tilelang.ops.conv2d(np.zeros((1, 2, 8, 4), "float32"), np.zeros((8, 3, 3, 4), "float32"))
#> ArgumentError: error[operator-shape]: unsupported shape: conv2d of an image (2, 8) with a filter (3, 3), which does not fit
#>   --> operator_conv2d.py, line 6
#>   6 | tilelang.ops.conv2d(np.zeros((1, 2, 8, 4), "float32"), np.zeros((8, 3, 3, 4), "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pad it: padding=...
