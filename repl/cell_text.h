// SPDX-License-Identifier: Apache-2.0
// The lines of a cell that is being edited: line starts, movement between lines, indentation.
// Positions are bytes.
#pragma once

#include <optional>
#include <string_view>

namespace tilelab {

inline constexpr size_t indent_width = 4;

size_t line_begin(std::string_view text, size_t at);
size_t line_end(std::string_view text, size_t at);
/// Columns between the start of the line and `at`.
int column_of(std::string_view text, size_t at);
/// The position in the line above or below (step -1, 1) that is nearest to `column`; nullopt if
/// there is no such line.
std::optional<size_t> beside(std::string_view text, size_t at, int step, int column);
/// The number of leading blanks of the line that contains `at`.
size_t indentation(std::string_view text, size_t at);
bool only_blanks(std::string_view text);
/// The line that contains `at` has only blanks before it.
bool in_indentation(std::string_view text, size_t at);
/// The indentation for the line of `at` if it begins a clause (`else:`) of a statement above it;
/// nullopt if it does not, or if it is already correct.
std::optional<size_t> clause_indentation(std::string_view text, size_t at);

}  // namespace tilelab
