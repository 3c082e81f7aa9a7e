// SPDX-License-Identifier: Apache-2.0
// IR at flat level -> PTX, which NVIDIA's driver compiles directly: for kernels whose compilation
// from C takes long, and for machines without NVRTC (ADR 25).
#pragma once

#include <optional>
#include <string>

#include "core/ir/func.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

/// A function's kernels in PTX, with the parameters of their C (RenderedKernel), terminated by a 0,
/// as the driver requires. Nullopt if a kernel contains something that only the C writer supports;
/// `why` names it.
std::optional<std::string> write_ptx(const Func& flat, const Target& target, std::string* why);

}  // namespace tilelab::codegen
