# SPDX-License-Identifier: Apache-2.0
"""A mask with other blocks than the attention."""
import numpy as np
import tilelang

q = np.zeros((1, 1, 128, 32), "float32")
tilelang.ops.block_sparse_attention(q, q, q, np.ones((1, 1, 4, 4), bool))
#> ArgumentError: error[operator-shape]: unsupported shape: block_sparse_attention with a mask (1, 1, 4, 4) for blocks (1, 1, 2, 2)
#>   --> operator_block_mask.py, line 7
#>   7 | tilelang.ops.block_sparse_attention(q, q, q, np.ones((1, 1, 4, 4), bool))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a flag for each pair of blocks
