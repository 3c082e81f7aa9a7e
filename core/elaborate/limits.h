// SPDX-License-Identifier: Apache-2.0
// Limits of what a kernel's Python code may do at compile time. A program beyond one gets a
// diagnostic instead of using up time or memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilelab::elaborate {

constexpr int64_t kMaxCopies = 65536;        // of a statement, by unrolled loops
constexpr size_t kMaxInlining = 100;         // calls inside each other
constexpr int64_t kMaxCalls = 1 << 19;       // inlined in a kernel
constexpr int64_t kMaxNesting = 200;         // of containers in containers
constexpr int64_t kMaxItems = 1 << 20;       // of a container, with those of its items
constexpr int64_t kMaxCharacters = 1 << 24;  // of a string

}  // namespace tilelab::elaborate
