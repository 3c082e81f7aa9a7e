# SPDX-License-Identifier: Apache-2.0
"""Tools that look into a kernel: detectors, traces, debugger, bisection, roofline. Each takes a kernel and the values of a
call; JITKernel and the commands use them."""
