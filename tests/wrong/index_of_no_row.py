# SPDX-License-Identifier: Apache-2.0
"""An index outside of the table, for an array in host memory."""
import numpy as np
import tilelang

tilelang.ops.embedding(np.ones((6, 2), "float32"), np.array([5, 6]))
#> ArgumentError: error[operator-argument]: operator embedding, argument ids: indices from 0 to 5 expected, got the index 6
#>   --> index_of_no_row.py, line 6
#>   6 | tilelang.ops.embedding(np.ones((6, 2), "float32"), np.array([5, 6]))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass indices below 6, not counted from the end
