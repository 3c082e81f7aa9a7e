# SPDX-License-Identifier: Apache-2.0
"""GPUs: which device, arrays in its memory, targets, times."""
