# SPDX-License-Identifier: Apache-2.0
"""What a person sets for the whole process: where kernels run and whose code is made.

%device and %target write here, so do the contexts of tilelab.tvm; jit and compile read it. "auto"
means: not set.
"""

import os

device = "auto"
target = os.environ.get("TILELANG_DEFAULT_TARGET", "auto")  # TileLang's variable for it
pass_configs = {}  # for kernels that do not name the configuration themselves


def get(name):
    """For the C++ side, which calls functions."""
    return globals()[name]


def put(name, value):
    globals()[name] = value
