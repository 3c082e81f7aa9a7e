# SPDX-License-Identifier: Apache-2.0
"""An operator gets a list."""
import tilelang

tilelang.softmax([1.0, 2.0])
#> ArgumentError: error[operator-argument]: operator softmax, argument x: a tensor expected, got a value of type list
#>   --> operator_list.py, line 5
#>   5 | tilelang.softmax([1.0, 2.0])
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: call it as softmax(x: Tensor, axis: int = -1); tilelang.tensor(...) makes a tensor
