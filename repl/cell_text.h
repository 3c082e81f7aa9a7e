// SPDX-License-Identifier: Apache-2.0
// The lines of a cell that is being edited: where they begin, how one gets from one to the next,
// and how far they are indented. Positions are bytes.
#pragma once

#include <optional>
#include <string_view>

namespace tilelab {

inline constexpr size_t indent_width = 4;

size_t line_begin(std::string_view text, size_t at);
size_t line_end(std::string_view text, size_t at);
/// Columns between the beginning of the line and `at`.
int column_of(std::string_view text, size_t at);
/// The place in the line above or below (step -1, 1) that is nearest to `column`; nothing where
/// there is no such line.
std::optional<size_t> beside(std::string_view text, size_t at, int step, int column);
/// Blanks at the beginning of the line that `at` is in.
size_t indentation(std::string_view text, size_t at);
bool only_blanks(std::string_view text);
/// The line that `at` is in has nothing but blanks before it.
bool in_indentation(std::string_view text, size_t at);
/// The indentation that the line of `at` ought to have where it begins a clause (`else:`) of a
/// statement above it; nothing where it is none, or where it is right.
std::optional<size_t> clause_indentation(std::string_view text, size_t at);

}  // namespace tilelab
