// SPDX-License-Identifier: Apache-2.0
// A view of memory as a buffer of its own: what asks for a shape, a type or a layout need not know
// that another name has the elements.
#pragma once

#include <optional>

#include "core/ir/stmt.h"

namespace tilelab {

/// Memory under the name, shape and type of a view of it. Nothing where the view would cut what
/// lies together, or where its elements do not lie one behind the other: a tensor with strides, a
/// layout without digits.
std::optional<Buffer> view_as_buffer(const Buffer& memory, const View& view);

}  // namespace tilelab
