// SPDX-License-Identifier: Apache-2.0
// Values that cross between C++ and the embedded Python. No Python header is needed to use them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tilelab::python {

/// An owning reference to any Python object. Copying, releasing and using it need the GIL (Gil).
class Object {
 public:
  Object() = default;
  /// Takes ownership of one reference. `handle` is a PyObject*.
  static Object steal(void* handle);
  static Object borrow(void* handle);
  Object(const Object& other);
  Object(Object&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Object& operator=(Object other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Object();

  /// The PyObject*, for code that includes Python.h.
  void* get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  void* handle_ = nullptr;
};

/// None, bool, int, float, str, list and dict as C++ data; anything else as an Object.
struct Value {
  using List = std::vector<Value>;
  using Dict = std::vector<std::pair<std::string, Value>>;
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Dict, Object> data;

  Value() = default;
  Value(bool v) : data(v) {}
  Value(int v) : data(int64_t{v}) {}
  Value(int64_t v) : data(v) {}
  Value(double v) : data(v) {}
  Value(std::string v) : data(std::move(v)) {}
  Value(std::string_view v) : data(std::string(v)) {}
  Value(const char* v) : data(std::string(v)) {}
  Value(List v) : data(std::move(v)) {}
  Value(Dict v) : data(std::move(v)) {}
  Value(Object v) : data(std::move(v)) {}

  bool is_none() const { return data.index() == 0; }
  /// The content if it has that type, otherwise the fallback.
  bool boolean(bool fallback = false) const;
  int64_t integer(int64_t fallback = 0) const;
  const std::string& text() const;  // "" if it is not a str
  const List& list() const;         // empty if it is not a list
  const Dict& dict() const;         // empty if it is not a dict
  /// Entry `key` of a dict; None if missing.
  const Value& operator[](std::string_view key) const;
};

}  // namespace tilelab::python
