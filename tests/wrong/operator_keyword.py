# SPDX-License-Identifier: Apache-2.0
"""An operator has no parameter of that name."""
import numpy as np
import tilelang

tilelang.softmax(np.ones((2, 3), "float32"), dim=-1)
#> ArgumentError: error[operator-call]: operator softmax cannot be called like this: got an unexpected keyword argument 'dim'
#>   --> operator_keyword.py, line 6
#>   6 | tilelang.softmax(np.ones((2, 3), "float32"), dim=-1)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: call it as softmax(x: Tensor, axis: int = -1)
