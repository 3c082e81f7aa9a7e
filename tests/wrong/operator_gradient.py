# SPDX-License-Identifier: Apache-2.0
"""The gradient of an operator that has none."""
import numpy as np
import tilelang

x = np.ones((2, 3), "float32")
tilelang.ops.argmax.gradients((x,), dict(), tilelang.argmax(x), [x])
#> UsageError: error[operator-gradient]: operator argmax has no gradient
#>   --> operator_gradient.py, line 7
#>   7 | tilelang.ops.argmax.gradients((x,), dict(), tilelang.argmax(x), [x])
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: detach its arguments: x.detach(); or compute it by operators of torch
