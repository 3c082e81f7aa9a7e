# SPDX-License-Identifier: Apache-2.0
from .._kernel.code_callbacks import register_c_postproc, register_cuda_postproc, register_hip_postproc, register_musa_postproc
from .._kernel.params import KernelParam
from .lower import __getattr__, lower  # noqa: F401

__all__ = ["CompiledArtifact", "KernelParam", "lower", "register_c_postproc",
           "register_cuda_postproc", "register_hip_postproc", "register_musa_postproc"]
