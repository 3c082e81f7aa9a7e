# SPDX-License-Identifier: Apache-2.0
"""The Python side of the compiler: sources, captured names and values, layouts, messages. Independent of kernels, devices, commands and
sessions."""
