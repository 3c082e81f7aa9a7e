// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/ir/func.h"

namespace tilelab {

/// The user-visible name of a tile operation: "T.copy", "T.reduce_max"; empty for other statements.
std::string tile_name(const Node& stmt);

/// The same as the user wrote it: T.clear is a fill as well.
std::string name_in_source(const Node& stmt);

}  // namespace tilelab
