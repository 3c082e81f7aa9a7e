# SPDX-License-Identifier: Apache-2.0
"""triton.runtime.autotuner."""

from . import OutOfResources  # noqa: F401
from .._tuning import Autotuner, Config, Heuristics, autotune, heuristics  # noqa: F401
