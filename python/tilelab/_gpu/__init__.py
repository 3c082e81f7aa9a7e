# SPDX-License-Identifier: Apache-2.0
"""Kernels on GPUs: which device, whose memory, launches, times."""
