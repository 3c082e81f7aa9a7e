// SPDX-License-Identifier: Apache-2.0
// Random changes of IR text: what a person who edits a snapshot may produce.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tilelab::test {

using Generator = std::mt19937_64;

/// Less than `n`; 0 where that is 0.
inline size_t below(Generator& random, size_t n) { return n == 0 ? 0 : size_t(random() % n); }

/// The text cut into words, numbers, strings, spaces and signs; joined they are the text.
std::vector<std::string> tokens_of(std::string_view text);

/// One to three changes of `text`. Most are a person's: numbers changed, lines left out, doubled,
/// exchanged, moved or taken from `other`, names exchanged or replaced, once or everywhere. Some
/// are noise: tokens exchanged, taken from `other` or left out.
std::string mutated(const std::string& text, const std::string& other, Generator& random);

}  // namespace tilelab::test
