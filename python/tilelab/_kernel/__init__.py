# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: arguments of a call, launches on each device, kernel names, views."""
