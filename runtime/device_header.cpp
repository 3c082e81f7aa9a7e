// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_header.h"

#include <dirent.h>

#include <cctype>
#include <cstdio>
#include <set>
#include <string_view>

#include "codegen/process.h"

namespace tilelab::runtime {

bool write_file(const std::string& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return false;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written;
}

std::string read_text(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return "";
  std::string text;
  char part[4096];
  while (const size_t n = std::fread(part, 1, sizeof part, file)) text.append(part, n);
  std::fclose(file);
  return text;
}

const std::map<std::string, std::string>& device_header() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> out;
    const std::string directory = codegen::device_directory();
    if (DIR* listed = opendir(directory.c_str())) {
      while (const dirent* entry = readdir(listed))
        if (const std::string name = entry->d_name; name.ends_with(".h"))
          out[name] = read_text(directory + "/" + name);
      closedir(listed);
    }
    return out;
  }();
  return all;
}

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Calls `f` with each word of the text that has this prefix, without the prefix.
template <class F> void words_after(const std::string& text, const std::string& begin, F&& f) {
  for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    const bool whole = at == 0 || !is_word(text[at - 1]);
    const size_t from = at += begin.size();
    while (at < text.size() && is_word(text[at])) ++at;
    if (whole) f(text.substr(from, at - from));
  }
}

/// Calls `f` with each function that the text defines directly, without its tl_.
template <class F> void functions_of(const std::string& text, F&& f) {
  constexpr std::string_view kBegin = "\nTL_FN ";
  for (size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
    const size_t open = text.find('(', at);
    if (open == std::string::npos) return;
    size_t from = open;
    while (is_word(text[from - 1])) --from;
    if (const std::string name = text.substr(from, open - from); name.starts_with("tl_"))
      f(name.substr(3));
  }
}

/// The functions' names, without tl_: those defined directly, and the arguments of the file's
/// macros.
std::set<std::string> function_names() {
  std::set<std::string> names;
  const auto file = device_header().find("tl_functions.h");
  if (file == device_header().end()) return names;
  functions_of(file->second, [&](const std::string& name) { names.insert(name); });
  for (const char* macro : {"TL_FUNCTION1(", "TL_FUNCTION2(", "TL_NARROW1(", "TL_CLASSIFY("})
    words_after(file->second, macro, [&](const std::string& name) { names.insert(name); });
  return names;
}

}  // namespace

bool calls_functions(const std::string& text) {
  static const std::set<std::string> names = function_names();
  bool found = names.empty();
  words_after(text, "tl_", [&](const std::string& name) {
    found |= names.count(name) != 0 || name.starts_with("ieee_");
  });
  return found;
}

}  // namespace tilelab::runtime
