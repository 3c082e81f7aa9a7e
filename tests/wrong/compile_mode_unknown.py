# SPDX-License-Identifier: Apache-2.0
"""A misspelled mode of compilation."""
import tilelang

tilelang.set_compile_mode("cache")
#> UsageError: error[compile-mode]: unknown compile mode 'cache'
#>   --> compile_mode_unknown.py, line 5
#>   5 | tilelang.set_compile_mode("cache")
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use 'on', 'cached', 'off'
