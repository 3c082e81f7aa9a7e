// SPDX-License-Identifier: Apache-2.0
// IR at flat level -> PTX, the instructions that NVIDIA's driver takes itself: of kernels whose
// compilation from C is long, and for machines without NVRTC (ADR 25).
#pragma once

#include <optional>
#include <string>

#include "core/ir/func.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

/// A function's kernels in PTX, with the parameters that their C has (RenderedKernel), and a 0
/// behind it, as the driver wants it. Nothing where a kernel does what is written in C alone; `why`
/// says what that is.
std::optional<std::string> write_ptx(const Func& flat, const Target& target, std::string* why);

}  // namespace tilelab::codegen
