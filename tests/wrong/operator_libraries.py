# SPDX-License-Identifier: Apache-2.0
"""An array in host memory and one of a GPU."""
import fake_gpu
import numpy as np
import tilelang

with fake_gpu.here("cuda"):
    x = tilelang.to_device(np.ones(64, "float32"))
    tilelang.ops.maximum(x, np.zeros(64, "float32"))
#> ArgumentError: error[operator-libraries]: operator maximum: its tensors are of NumPy and tilelab's arrays of a GPU
#>   --> operator_libraries.py, line 9
#>   9 |     tilelang.ops.maximum(x, np.zeros(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: convert one of them: torch.from_numpy(x), x.numpy(), tilelang.to_device(x)
