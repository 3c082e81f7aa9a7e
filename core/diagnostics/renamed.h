// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tilelab {

/// The name that a message has now, for one that it had in an earlier version; else the name
/// itself.
std::string_view current_name(std::string_view name);

}  // namespace tilelab
