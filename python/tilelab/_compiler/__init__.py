# SPDX-License-Identifier: Apache-2.0
"""From Python to the compiler: sources, names and values that a kernel captures, arguments of a call,
errors. Knows no kernels, no commands and no session."""
