// SPDX-License-Identifier: Apache-2.0
// The device header of generated code as text, for compilers that take it from memory.
#pragma once

#include <map>
#include <string>

namespace tilelab::runtime {

/// Its files by name, read once.
const std::map<std::string, std::string>& device_header();
/// Whether a kernel's C calls what tl_functions.h defines; else TL_NO_FUNCTIONS spares reading it.
bool calls_functions(const std::string& text);
/// A file's text; "" where it can't be read.
std::string read_text(const std::string& path);

}  // namespace tilelab::runtime
