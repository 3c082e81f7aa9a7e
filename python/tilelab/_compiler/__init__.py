# SPDX-License-Identifier: Apache-2.0
"""From Python to the compiler: sources, names and values that a kernel captures, layouts, messages. Knows no kernels, no
devices, no commands and no session."""
