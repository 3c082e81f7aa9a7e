// SPDX-License-Identifier: Apache-2.0
// A view of memory as a separate buffer, for analyses that need a shape, a type or a layout but not
// the aliased name.
#pragma once

#include <optional>

#include "core/ir/stmt.h"

namespace tilelab {

/// The memory with the name, shape and type of the view. Nullopt if the view would split contiguous
/// elements, or if its elements are not contiguous: a tensor with strides, a layout without digits.
std::optional<Buffer> view_as_buffer(const Buffer& memory, const View& view);

}  // namespace tilelab
