// SPDX-License-Identifier: Apache-2.0
// Limits: of numbers in a kernel, and of what its Python code may do at compile time. A program
// beyond one gets a diagnostic instead of using up time or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilelab::elaborate {

constexpr int64_t kMaxCopies = 65536;        // of a statement, by unrolled loops
constexpr size_t kMaxInlining = 100;         // calls inside each other
constexpr int64_t kMaxCalls = 1 << 19;       // inlined in a kernel
constexpr int64_t kMaxNesting = 200;         // of containers in containers
constexpr int64_t kMaxItems = 1 << 20;       // of a container, with those of its items
constexpr int64_t kMaxCharacters = 1 << 24;  // of a string

constexpr int64_t kMaxCount = 65536;  // limit of stages, groups, lanes and other small numbers

/// The product of the factors, divided by `per`, as text if it exceeds `most`; "at least 2^60" on
/// overflow.
std::optional<std::string> product_above(const std::vector<int64_t>& factors, int64_t most,
                                         int64_t per = 1);

}  // namespace tilelab::elaborate
