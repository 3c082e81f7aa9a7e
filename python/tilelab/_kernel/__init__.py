# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: arguments of a call, the call on each device, the names of kernels, what they show."""
