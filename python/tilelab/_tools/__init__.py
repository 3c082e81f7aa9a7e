# SPDX-License-Identifier: Apache-2.0
"""Tools that analyze a kernel, given the arguments of a call: detectors, traces, debugger, bisection, roofline."""
