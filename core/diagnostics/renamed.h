// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tilelab {

/// The current name of a message for a name from an earlier version; otherwise the name itself.
std::string_view current_name(std::string_view name);

}  // namespace tilelab
