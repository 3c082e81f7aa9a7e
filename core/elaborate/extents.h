// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilelab::elaborate {

constexpr int64_t kMaxCount = 65536;  // limit of stages, groups, lanes and other small numbers

/// The product of the factors, divided by `per`, as text if it exceeds `most`; "at least 2^60" on
/// overflow.
std::optional<std::string> product_above(const std::vector<int64_t>& factors, int64_t most,
                                         int64_t per = 1);

}  // namespace tilelab::elaborate
