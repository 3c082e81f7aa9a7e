// SPDX-License-Identifier: Apache-2.0
// Functions of the user's source (T.import_source), compiled for this machine, for the simulator.
#pragma once

#include <string>
#include <vector>

namespace tilelab::cpu {

/// Compiles the function of the sources, plain C++ except for CUDA's words such as __device__, with
/// the signature of core/sim/program/hosted.h: "f32 r2:f32 v:i32". Returns the key under which the
/// simulator finds it; "" if there is no compiler, or it rejects the text.
std::string build_hosted(const std::string& name, const std::string& signature,
                         const std::vector<std::string>& sources);

}  // namespace tilelab::cpu
