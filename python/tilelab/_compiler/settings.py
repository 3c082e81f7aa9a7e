# SPDX-License-Identifier: Apache-2.0
"""Process-wide settings, written by %device, %target and the contexts of tilelab.tvm, read by jit and compile. "auto" means unset."""

import os

device = "auto"
target = os.environ.get("TILELANG_DEFAULT_TARGET", "auto")  # TileLang's variable for it
pass_configs = {}  # of kernels that do not set the configuration


def get(name):
    """For the C++ side, which calls functions."""
    return globals()[name]


def put(name, value):
    globals()[name] = value
