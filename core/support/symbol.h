// SPDX-License-Identifier: Apache-2.0
// Interned names: one word, compared by identity, never freed.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tilelab {

class Symbol {
 public:
  Symbol() = default;
  Symbol(std::string_view text);  // implicit: string literals are names
  Symbol(const char* text) : Symbol(std::string_view(text)) {}
  Symbol(const std::string& text) : Symbol(std::string_view(text)) {}

  const std::string& str() const;
  const char* c_str() const { return str().c_str(); }
  bool empty() const { return id_ == 0; }
  explicit operator bool() const { return id_ != 0; }
  uint32_t id() const { return id_; }
  bool operator==(const Symbol&) const = default;
  /// Order of interning, not alphabetical.
  auto operator<=>(const Symbol&) const = default;

 private:
  uint32_t id_ = 0;
};

}  // namespace tilelab

template <> struct std::hash<tilelab::Symbol> {
  size_t operator()(tilelab::Symbol s) const noexcept { return s.id(); }
};
