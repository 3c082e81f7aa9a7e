// SPDX-License-Identifier: Apache-2.0
#include "jupyter/incoming.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilelab::jupyter {
namespace {

constexpr int deepest = 200;
constexpr const char* replacement = "\xef\xbf\xbd";  // U+FFFD

bool is_nested_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if ((c == '[' || c == '{') && ++depth > deepest) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

/// The size of the UTF-8 character at `at`, or 0 if invalid.
size_t character_size(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  unsigned first = byte(at), second = byte(at + 1);
  size_t size = first < 0x80   ? 1
                : first < 0xc2 ? 0
                : first < 0xe0 ? 2
                : first < 0xf0 ? 3
                : first < 0xf5 ? 4
                               : 0;
  for (size_t i = 1; i < size; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool surrogate = first == 0xed && second >= 0xa0, beyond = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : size;
}

/// The code unit of the escape \uXXXX at `at`, or -1.
int escaped_unit(std::string_view text, size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  int unit = 0;
  for (size_t i = at + 2; i < at + 6; ++i) {
    char c = text[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

bool is_high(int unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(int unit) { return unit >= 0xdc00 && unit < 0xe000; }

/// Text that a JSON parser accepts as UTF-8 with complete characters.
std::string repaired(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    int unit = escaped_unit(text, i);
    size_t size = 0;
    if (is_high(unit) && is_low(escaped_unit(text, i + 6))) {
      size = 12;
    } else if (is_high(unit) || is_low(unit)) {
      out += "\\ufffd";
      i += 6;
      continue;
    } else if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] != 'u') {
      size = text[i + 1] & 0x80 ? 1 : 2;  // skip the character after a backslash
    } else {
      size = character_size(text, i);
    }
    out.append(size ? text.substr(i, size) : std::string_view(replacement));
    i += std::max<size_t>(size, 1);
  }
  return out;
}

}  // namespace

std::optional<Json> read_json(std::string_view text) {
  if (is_nested_too_deep(text)) return std::nullopt;
  Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_discarded()) parsed = Json::parse(repaired(text), nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  return parsed;
}

Json read_object(std::string_view text) {
  std::optional<Json> parsed = read_json(text);
  return parsed && parsed->is_object() ? std::move(*parsed) : Json::object();
}

bool has_names(const Json& header) {
  if (!header.is_object()) return false;
  for (const char* name : {"msg_type", "msg_id", "session"}) {
    auto found = header.find(name);
    if (found == header.end() || !found->is_string()) return false;
  }
  return true;
}

bool same_signature(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= unsigned(a[i] ^ b[i]) & 0xffu;
  return difference == 0;
}

bool SeenSignatures::add(const std::string& signature) {
  if (older_.count(signature) || !newer_.insert(signature).second) return false;
  if (newer_.size() >= kept) {
    older_.swap(newer_);
    newer_.clear();
  }
  return true;
}

}  // namespace tilelab::jupyter
