# SPDX-License-Identifier: Apache-2.0
"""A function that tilelab does not have yet, in Python code."""
import tilelang.language as T


@T.ws_op
def twice(x):
    return x * 2
#> UsageError: error[builtin-planned]: T.ws_op is not supported yet
#>   --> planned_outside.py, line 6
#>   6 | @T.ws_op
#>     |  ^^^^^^^
#> note: Explicit layouts and schedules.
