// SPDX-License-Identifier: Apache-2.0
// Code with colours, and long lines broken where the language allows it.
#pragma once

#include "views/shown.h"

namespace tilelab {

enum class Language : uint8_t { python, c };

/// The text with tones for keywords, types, strings, numbers and comments. Line by line; a block
/// comment of C may span lines.
Toned highlight(std::string_view code, Language language);

/// Lines wider than `columns` are broken inside brackets (Python) or at blanks (C), so that the
/// result means the same. Lines that offer no such place stay as they are.
std::string wrap_code(std::string_view code, Language language, size_t columns = view_columns());

}  // namespace tilelab
