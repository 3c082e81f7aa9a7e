# SPDX-License-Identifier: Apache-2.0
from .._kernel.code_callbacks import register_c_postproc, register_cuda_postproc, register_hip_postproc, register_musa_postproc
from .._kernel.params import KernelParam
from .lower import lower

__all__ = ["CompiledArtifact", "KernelParam", "lower", "register_c_postproc",
           "register_cuda_postproc", "register_hip_postproc", "register_musa_postproc"]


def __getattr__(name):
    if name != "CompiledArtifact":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .artifact import CompiledArtifact

    return CompiledArtifact
