// SPDX-License-Identifier: Apache-2.0
// Shared parts of the codegen tests: texts from tests/codegen/, compiled modules, number
// comparison.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "codegen/cpu/guarded_buffer.h"
#include "codegen/process.h"
#include "core/ir/dtype.h"
#include "tests/emulation/check.h"
#include "tests/unit/float_format.h"
#include "tests/unit/test.h"

namespace tilelab::test {

/// The text of tests/codegen/<name>.
inline std::string text_of(const std::string& name) {
  const std::string path = std::string(TILELAB_TEST_DIR) + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (!file) {
    fail(path.c_str(), 0, "cannot be read");
    return "";
  }
  std::string text;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  std::fclose(file);
  return text;
}

/// `text` with its one occurrence of `from` replaced; a failure when there is not exactly one.
inline std::string mutated(const std::string& text, const std::string& from,
                           const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    fail("mutation", 0, "not exactly once in the kernel: " + from);
    return text;
  }
  return text.substr(0, at) + to + text.substr(at + from.size());
}

inline std::unique_ptr<musa::EmulatedModule> compiled(const std::string& text, int arch) {
  std::string log;
  auto module = musa::EmulatedModule::compile(text, arch, &log);
  if (!module) fail("compile", arch, log);
  return module;
}

/// Whether there is an nvcc for the texts of this build. Sanitizers watch how a text is made, not
/// what nvcc says of it: a build without them asks for that.
inline bool has_nvcc() {
#if defined(__has_feature)
  if constexpr (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)) return false;
#endif
  std::string version;
  return codegen::run_program({"nvcc", "--version"}, &version) == 0;
}

inline std::vector<float> random_floats(size_t n, float low = -1, float high = 1) {
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<float> value(low, high);
  std::vector<float> out(n);
  for (float& x : out) x = value(random);
  return out;
}

/// IEEE binary16 of a number other than NaN, by the definition.
inline uint16_t half_bits(float x) {
  uint32_t code = std::isinf(x) ? (x < 0 ? 0xfc00 : 0x7c00) : nearest_code(x, f16_format);
  return static_cast<uint16_t>(std::min(code & 0x7fff, 0x7c00u) | (code & 0x8000));
}
inline float half_value(uint16_t bits) { return static_cast<float>(value_of(bits, f16_format)); }

template <class T> codegen::GuardedBuffer buffer_of(const std::vector<T>& values) {
  codegen::GuardedBuffer b(values.size() * sizeof(T));
  std::memcpy(b.data(), values.data(), b.size());
  return b;
}

}  // namespace tilelab::test
