# SPDX-License-Identifier: Apache-2.0
"""What tilelab.lower gives."""

import dataclasses


@dataclasses.dataclass
class CompiledArtifact:
    """What lowering gives: the function after the last pass, its parameters, the generated code."""

    device_mod: object
    params: list
    kernel_source: str
