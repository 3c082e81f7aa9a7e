# SPDX-License-Identifier: Apache-2.0
"""The result of tilelab.lower."""

import dataclasses


@dataclasses.dataclass
class CompiledArtifact:
    """The function after the last pass, its parameters, and the generated code."""

    device_mod: object
    params: list
    kernel_source: str
