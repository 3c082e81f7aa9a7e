# SPDX-License-Identifier: Apache-2.0
"""A mask with other blocks than the attention."""
import numpy as np
import tilelang

q = np.zeros((1, 1, 128, 32), "float32")
tilelang.ops.block_sparse_attention(q, q, q, np.ones((1, 1, 4, 4), bool))
#> ArgumentError: error[operator-argument]: operator block_sparse_attention, argument mask: a tensor (batch, heads, ceil(queries / block), ceil(keys / block)) with batch = 1, heads = 1, queries = 128, block = 64, keys = 128 expected, got one of shape (1, 1, 4, 4)
#>   --> operator_block_mask.py, line 7
#>   7 | tilelang.ops.block_sparse_attention(q, q, q, np.ones((1, 1, 4, 4), bool))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass q (batch, heads, queries, dim), k (batch, kv_heads, keys, dim), v (batch, kv_heads, keys, dim), mask (batch, heads, ceil(queries / block), ceil(keys / block)) of bool
