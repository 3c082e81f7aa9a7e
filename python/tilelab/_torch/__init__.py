# SPDX-License-Identifier: Apache-2.0
"""Functions that run kernels as operators of torch.library. Nothing here imports torch unless it is installed and used."""
