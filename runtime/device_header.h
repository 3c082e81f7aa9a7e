// SPDX-License-Identifier: Apache-2.0
// The device header of generated code as text, for compilers that take it from memory.
#pragma once

#include <map>
#include <string>

namespace tilelab::runtime {

/// Its files by name, read once.
const std::map<std::string, std::string>& device_header();
/// A file's text; "" where it can't be read.
std::string read_text(const std::string& path);

}  // namespace tilelab::runtime
