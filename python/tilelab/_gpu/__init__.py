# SPDX-License-Identifier: Apache-2.0
"""GPUs: device selection, device arrays, targets, timing."""
