// SPDX-License-Identifier: Apache-2.0
// A test framework in one page: TEST defines a case, EXPECT* record failures and continue.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace tilelab::test {

struct Case {
  const char* name;
  void (*body)();
};

std::vector<Case>& cases();
void fail(const char* file, int line, const std::string& what);
/// A seed that differs from run to run; printed when a case fails. TILELAB_SEED=n repeats a run.
uint64_t seed();
/// A debug build runs tests several times slower: of long rows of cases it takes every eighth.
#ifdef NDEBUG
inline constexpr int every = 1;
#else
inline constexpr int every = 8;
#endif
/// Rounds of a random test.
constexpr int rounds(int all) { return all / every; }
/// Reduced in debug builds: elements of a test, sizes of a kernel.
template <class T> constexpr T less_in_debug(T all, T in_debug) {
  return every == 1 ? all : in_debug;
}

struct Register {
  Register(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string show(const std::string& s) { return '"' + s + '"'; }
inline std::string show(const char* s) { return '"' + std::string(s) + '"'; }
inline std::string show(bool b) { return b ? "true" : "false"; }
template <class T> std::string show(const T& value) {
  if constexpr (requires { std::to_string(value); }) {
    return std::to_string(value);
  } else {
    return "<value>";
  }
}

template <class A, class B>
void expect_eq(const A& a, const B& b, const char* text, const char* file, int line) {
  if (!(a == b))
    fail(file, line, std::string(text) + "\n    left  " + show(a) + "\n    right " + show(b));
}

}  // namespace tilelab::test

#define TEST(name)                                                       \
  static void test_##name();                                             \
  static ::tilelab::test::Register register_##name(#name, &test_##name); \
  static void test_##name()
#define EXPECT(...)                                                              \
  do {                                                                           \
    if (!(__VA_ARGS__)) ::tilelab::test::fail(__FILE__, __LINE__, #__VA_ARGS__); \
  } while (0)
#define EXPECT_EQ(a, b) ::tilelab::test::expect_eq((a), (b), #a " == " #b, __FILE__, __LINE__)
