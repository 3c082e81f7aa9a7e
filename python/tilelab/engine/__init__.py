# SPDX-License-Identifier: Apache-2.0
from .lower import CompiledArtifact, lower
from .param import KernelParam

__all__ = ["CompiledArtifact", "KernelParam", "lower"]
