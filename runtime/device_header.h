// SPDX-License-Identifier: Apache-2.0
// The device header of generated code as text, for compilers that take it from memory.
#pragma once

#include <map>
#include <string>

namespace tilelab::runtime {

/// Its files by name, read once.
const std::map<std::string, std::string>& device_header();
/// Whether a kernel's C calls functions of tl_functions.h; otherwise TL_NO_FUNCTIONS omits it.
bool calls_functions(const std::string& text);
/// A file's text; "" if it can't be read.
std::string read_text(const std::string& path);
/// Whether the file could be written.
bool write_file(const std::string& path, std::string_view bytes);

}  // namespace tilelab::runtime
