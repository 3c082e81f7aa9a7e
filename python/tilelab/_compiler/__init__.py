# SPDX-License-Identifier: Apache-2.0
"""The Python side of the compiler: sources, captured names, layouts, messages. Independent of kernels, devices, commands and sessions."""
