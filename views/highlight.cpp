// SPDX-License-Identifier: Apache-2.0
#include "views/highlight.h"

#include <algorithm>
#include <cctype>

#include "core/syntax/lexer.h"

namespace tilelab {
namespace {

constexpr std::string_view kCWords =
    " alignas auto break case const constexpr continue default do else enum extern false for goto "
    "if inline return sizeof static struct switch template true typedef union using volatile while "
    "__global__ __device__ __shared__ __restrict__ __launch_bounds__ __host__ __forceinline__ "
    "reinterpret_cast static_cast ";
constexpr std::string_view kTypes =
    " f16 f32 f64 bf16 i8 i16 i32 i64 u8 u16 u32 u64 f8e4m3 f8e5m2 bool tensor shared fragment "
    "local barrier ring void int unsigned char short long float double half size_t int64_t int32_t "
    "uint8_t uint16_t uint32_t uint64_t int8_t int16_t ";

bool among(std::string_view words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

Style role_of(std::string_view word, Language language) {
  if (language == Language::python ? syntax::is_keyword(word) : among(kCWords, word))
    return Style::keyword;
  return among(kTypes, word) ? Style::type : Style::plain;
}

}  // namespace

/// A backslash escapes the next character.
size_t string_end(std::string_view code, size_t i) {
  char quote = code[i++];
  while (i < code.size() && code[i] != quote && code[i] != '\n') i += code[i] == '\\' ? 2 : 1;
  return std::min(i + 1, code.size());
}

static size_t line_end(std::string_view code, size_t i) {
  return std::min(code.find('\n', i), code.size());
}

size_t comment_end(std::string_view code, size_t i, Language language) {
  if (language == Language::python) return code[i] == '#' ? line_end(code, i) : i;
  if (code.substr(i, 2) == "//") return line_end(code, i);
  if (code.substr(i, 2) != "/*") return i;
  size_t end = code.find("*/", i + 2);
  return end == std::string_view::npos ? code.size() : end + 2;
}

StyledText highlight(std::string_view code, Language language) {
  StyledText out;
  bool line_start = true;
  for (size_t i = 0; i < code.size();) {
    char c = code[i];
    size_t end = comment_end(code, i, language);
    Style role = Style::dim;
    if (end == i) {
      if (language == Language::c && c == '#' && line_start) {
        end = line_end(code, i);
        role = Style::keyword;
      } else if (c == '"' || c == '\'') {
        end = string_end(code, i);
        role = Style::string;
      } else if (std::isdigit(static_cast<unsigned char>(c))) {
        end = i + 1;
        while (end < code.size() && (word_char(code[end]) || code[end] == '.')) ++end;
        role = Style::number;
      } else if (word_char(c)) {
        end = i + 1;
        while (end < code.size() && word_char(code[end])) ++end;
        role = role_of(code.substr(i, end - i), language);
      } else {
        end = i + 1;
        role = Style::plain;
      }
    }
    if (c == '\n')
      line_start = true;
    else if (c != ' ')
      line_start = false;
    out.add(code.substr(i, end - i), role);
    i = end;
  }
  return out;
}

}  // namespace tilelab
