# SPDX-License-Identifier: Apache-2.0
"""Tools that analyze a kernel: detectors, traces, debugger, bisection, roofline. Each takes a kernel and the arguments of a call; used by
JITKernel and the commands."""
