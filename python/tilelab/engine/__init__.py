# SPDX-License-Identifier: Apache-2.0
from .param import KernelParam

__all__ = ["KernelParam"]
