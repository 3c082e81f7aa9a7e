# SPDX-License-Identifier: Apache-2.0
"""triton.backends.compiler."""

import collections

GPUTarget = collections.namedtuple("GPUTarget", "backend arch warp_size")
