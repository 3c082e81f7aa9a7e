// SPDX-License-Identifier: Apache-2.0
#include "runtime/musa/export.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "core/analysis/effects.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab::runtime {

namespace {

constexpr int64_t kUsualExtent = 100;  // of a dimension of any size: most blocks get a tail

using Sizes = std::map<Symbol, int64_t>;

Sizes free_sizes(const Func& func) {
  Sizes out;
  for (const Stmt& stmt : func.dims) {
    const Dim& dim = to<Dim>(stmt);
    const int64_t wanted = std::clamp(kUsualExtent, dim.lo, dim.hi);
    const int64_t size = (wanted + dim.multiple - 1) / dim.multiple * dim.multiple;
    out[dim.name] = size <= dim.hi ? size : size - dim.multiple;
  }
  return out;
}

void fill(sim::Argument& tensor, std::mt19937_64& random, int64_t largest) {
  const auto size = size_t(bytes(tensor.dtype));
  auto* at = static_cast<unsigned char*>(tensor.data);
  std::uniform_real_distribution<double> real(-1, 1);
  const int64_t most = tensor.dtype == DType::bool_ ? std::min<int64_t>(largest, 1) : largest;
  for (int64_t i = 0; i < tensor.bytes; i += int64_t(size)) {
    const uint64_t bits = is_float(tensor.dtype) ? encode_float(tensor.dtype, real(random))
                                                 : random() % uint64_t(most + 1);
    std::memcpy(at + i, &bits, size);
  }
}

/// The distance from 1 to the next number.
double epsilon(DType dtype) {
  switch (dtype) {
    case DType::f64: return 0x1p-52;
    case DType::f32: return 0x1p-23;
    case DType::f16: return 0x1p-10;
    case DType::bf16: return 0x1p-7;
    case DType::e4m3: return 0x1p-3;
    default: return 0x1p-2;
  }
}

/// Whether the last bits of a result depend on the platform: elementary functions, sums by matrix
/// units, atomics. Contraction and order are fixed otherwise.
bool own_bits(const Func& func) {
  static const char* const kNames[] = {"exp", "log",     "rsqrt",  "sin", "cos", "tan",
                                       "erf", "sigmoid", "atomic", "mma", "pow", "hypot"};
  bool found = false;
  walk(*func.body, [&](const Node& node) {
    if (const Call* call = as<Call>(&node)) {
      const std::string name = tilelab::name(call->intrinsic);
      for (const char* part : kNames) found |= name.find(part) != std::string::npos;
    }
    return !found;
  });
  return found;
}

}  // namespace

std::string SampleCall::make_arguments(const Func& flat, int64_t largest) {
  const Sizes sizes = free_sizes(flat);
  auto extent = [&](const Expr& expr) {
    return evaluate(expr, [&](Symbol name) -> std::optional<int64_t> {
      const auto it = sizes.find(name);
      return it == sizes.end() ? std::nullopt : std::optional(it->second);
    });
  };
  std::mt19937_64 random(1);
  arguments_.clear(), memory_.clear();
  for (const Stmt& stmt : flat.params) {
    const Param& param = to<Param>(stmt);
    ExportedArgument& made = arguments_.emplace_back();
    const Buffer* buffer = as<Buffer>(param.tensor);
    if (!buffer) {
      const auto known = sizes.find(param.name);
      made.given =
          sim::scalar_argument(param.dtype, is_float(param.dtype)  ? encode_float(param.dtype, 0.5)
                                            : known == sizes.end() ? 1
                                                                   : uint64_t(known->second));
      continue;
    }
    if (!buffer->strides.empty()) return param.name.str() + " has strides";
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const Expr& e : buffer->shape) {
      const auto size = extent(e);
      if (!size || *size < 0) return "no argument determines the size of " + param.name.str();
      shape.push_back(*size);
      count *= *size;
    }
    auto& memory = memory_.emplace_back(size_t(count * bytes(buffer->dtype)) + 1);
    made.given = sim::tensor_argument(buffer->dtype, shape, memory.data());
    made.given.bytes = count * bytes(buffer->dtype);
    made.given.strides.assign(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      made.given.strides[i - 1] = made.given.strides[i] * shape[i];
    fill(made.given, random, largest);
  }
  return "";
}

void SampleCall::expect(const Func& flat, const std::vector<sim::Argument>& results) {
  const bool exact = !own_bits(flat);
  const Touched t = touched(*flat.body);
  int64_t terms = 1;  // of one sum: at most the longest dimension
  for (const ExportedArgument& one : arguments_)
    for (int64_t extent : one.given.shape) terms = std::max(terms, extent);
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const sim::Argument& result = results[i];
    if (!result.tensor || !t.written.count(to<Param>(flat.params[i]).name)) continue;
    if (!is_float(result.dtype)) {
      arguments_[i].expected = result.data;
      continue;
    }
    auto& numbers = numbers_.emplace_back();
    double largest = 1;
    for (int64_t at = 0; at < result.bytes; at += bytes(result.dtype)) {
      uint64_t bits = 0;
      std::memcpy(&bits, static_cast<char*>(result.data) + at, size_t(bytes(result.dtype)));
      const double x = decode_float(result.dtype, bits);
      if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
      numbers.push_back(x);
    }
    arguments_[i].expected = numbers.data();
    if (exact) continue;
    // docs/ir.md: 2 eps of the result, 4 eps of an f32 accumulator for each term.
    const double eps = epsilon(result.dtype);
    arguments_[i].relative = 2 * eps;
    arguments_[i].absolute = 4 * double(terms) * std::min(eps, epsilon(DType::f32)) * largest;
  }
}

std::string SampleCall::simulate(const Func& flat) {
  std::vector<sim::Argument> given;
  results_.clear(), numbers_.clear();
  for (const ExportedArgument& one : arguments_) {
    given.push_back(one.given);
    if (!one.given.tensor) continue;
    auto& copy = results_.emplace_back(size_t(one.given.bytes) + 1);
    std::memcpy(copy.data(), one.given.data, size_t(one.given.bytes));
    given.back().data = copy.data();
  }
  const sim::RunResult result = sim::run(flat, given);
  if (!result.error.empty()) return result.error;
  if (!result.findings.empty())
    return std::string(sim::finding_name(result.findings[0].kind)) + ", " +
           result.findings[0].detail;
  expect(flat, given);
  return "";
}

std::string SampleCall::make(const Func& flat, const std::vector<sim::Argument>& given) {
  arguments_.clear();
  for (const sim::Argument& one : given) arguments_.push_back({one});
  const std::string wrong = simulate(flat);
  return wrong.empty() ? "" : "the simulator finds: " + wrong;
}

std::string SampleCall::make(const Func& flat) {
  std::string wrong;
  for (const int64_t largest : {7, 0}) {  // integers may be indices
    wrong = make_arguments(flat, largest);
    if (!wrong.empty()) return wrong;
    wrong = simulate(flat);
    if (wrong.empty()) return "";
  }
  return "the simulator finds, with generated arguments: " + wrong;
}

}  // namespace tilelab::runtime
