// SPDX-License-Identifier: Apache-2.0
#include "core/sim/not_finite.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "core/ir/traverse.h"
#include "core/sim/sim.h"

namespace tilelab::sim {
namespace {

/// How a type spells what is no number, in the bits below its sign: from `inf` on. `has_inf`: `inf`
/// itself is infinity, all above are NaN.
struct Spelling {
  uint64_t inf = 0;
  bool has_inf = true;
};

std::optional<Spelling> spelling(DType dtype) {
  switch (dtype) {
    case DType::f64: return Spelling{0x7ff0000000000000u};
    case DType::f32: return Spelling{0x7f800000u};
    case DType::f16: return Spelling{0x7c00u};
    case DType::bf16: return Spelling{0x7f80u};
    case DType::e5m2: return Spelling{0x7cu};
    case DType::e4m3: return Spelling{0x7fu, false};
    default: return std::nullopt;
  }
}

/// Of `count` neighbouring elements; the loop has no branch, so that it is done by vectors.
template <class Bits> bool any_special(const uint8_t* data, int64_t count, Bits inf) {
  constexpr int64_t kChunk = 4096 / sizeof(Bits);
  constexpr Bits kMagnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  auto look = [&](int64_t from, int64_t n) {
    unsigned found = 0;
    for (int64_t i = 0; i < n; ++i) {
      Bits x;
      std::memcpy(&x, data + (from + i) * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
      found |= static_cast<unsigned>(static_cast<Bits>(x & kMagnitude) >= inf);
    }
    return found != 0;
  };
  for (int64_t i = 0; i < count; i += kChunk)
    if (look(i, std::min(kChunk, count - i))) return true;
  return false;
}

bool any_special(DType dtype, const uint8_t* data, int64_t count, uint64_t inf) {
  switch (bytes(dtype)) {
    case 8: return any_special<uint64_t>(data, count, inf);
    case 4: return any_special<uint32_t>(data, count, static_cast<uint32_t>(inf));
    case 2: return any_special<uint16_t>(data, count, static_cast<uint16_t>(inf));
    default: return any_special<uint8_t>(data, count, static_cast<uint8_t>(inf));
  }
}

/// Walks the rows of a tensor; all of it is one row where it has no gaps.
class Rows {
 public:
  explicit Rows(const Argument& tensor) : tensor_(tensor), shape_(tensor.shape) {
    strides_ = tensor.strides;
    if (strides_.empty()) {
      strides_.assign(shape_.size(), 1);
      for (size_t i = shape_.size(); i-- > 1;) strides_[i - 1] = strides_[i] * shape_[i];
    }
    split_ = shape_.size();
    while (split_ > 0 && (shape_[split_ - 1] == 1 || strides_[split_ - 1] == length_))
      length_ *= shape_[--split_];
    for (int64_t extent : shape_) elements_ *= extent;
  }
  int64_t elements() const { return elements_; }
  int64_t length() const { return length_; }
  int64_t count() const { return length_ ? elements_ / length_ : 0; }
  const uint8_t* row(int64_t number) const {
    int64_t offset = 0;
    for (size_t d = split_; d-- > 0; number /= shape_[d])
      offset += number % shape_[d] * strides_[d];
    return static_cast<const uint8_t*>(tensor_.data) + offset * bytes(tensor_.dtype);
  }
  std::vector<int64_t> index(int64_t element) const {
    std::vector<int64_t> out(shape_.size());
    for (size_t d = out.size(); d-- > 0; element /= shape_[d]) out[d] = element % shape_[d];
    return out;
  }

 private:
  const Argument& tensor_;
  std::vector<int64_t> shape_, strides_;
  size_t split_ = 0;  // dimensions before it choose the row
  int64_t length_ = 1, elements_ = 1;
};

bool any_special(const Argument& tensor) {
  auto how = tensor.data ? spelling(tensor.dtype) : std::nullopt;
  if (!how) return false;
  Rows rows(tensor);
  for (int64_t r = 0; r < rows.count(); ++r)
    if (any_special(tensor.dtype, rows.row(r), rows.length(), how->inf)) return true;
  return false;
}

/// The elements one by one; for tensors that have some.
NotFinite counted(const Argument& tensor) {
  NotFinite out;
  const Spelling how = *spelling(tensor.dtype);
  const int size = bytes(tensor.dtype);
  const uint64_t magnitude = ~uint64_t{0} >> (65 - 8 * size);
  Rows rows(tensor);
  out.elements = rows.elements();
  for (int64_t r = 0; r < rows.count(); ++r)
    for (int64_t i = 0; i < rows.length(); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, rows.row(r) + i * size, static_cast<size_t>(size));
      bits &= magnitude;
      if (bits < how.inf) continue;
      if (out.nan + out.inf == 0) out.first = rows.index(r * rows.length() + i);
      ++(how.has_inf && bits == how.inf ? out.inf : out.nan);
    }
  return out;
}

}  // namespace

// Calls of tiny kernels are common: what the function does is asked only of a run that left NaN or
// infinity somewhere.
NotFiniteWatch::NotFiniteWatch(const Func& func, std::span<const Argument> arguments)
    : func_(func), arguments_(arguments), before_(arguments.size()) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!arguments[i].fresh) before_[i] = kinds(arguments[i]);
}

NotFiniteWatch::Kinds NotFiniteWatch::kinds(const Argument& argument) {
  Kinds out;
  if (!argument.tensor) {
    out.add(is_float(argument.dtype) ? decode_float(argument.dtype, argument.bits) : 0);
  } else if (any_special(argument)) {
    const NotFinite has = counted(argument);
    out = {has.nan > 0, has.inf > 0};
  }
  return out;
}

NotFiniteWatch::Kinds NotFiniteWatch::excused(const Touched& touched) const {
  Kinds out;
  walk(func_, [&](const Node& node) {
    if (const Const* c = as<Const>(&node); c && is_float(c->type.dtype))
      out.add(decode_float(c->type.dtype, c->bits));
    return true;
  });
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].tensor && touched.read.count(name(i)) == 0) continue;
    out.nan |= before_[i].nan, out.inf |= before_[i].inf;
  }
  return out;
}

Symbol NotFiniteWatch::name(size_t i) const { return to<Param>(func_.params[i]).name; }

std::vector<NotFinite> NotFiniteWatch::found() const {
  std::vector<size_t> special;
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i].tensor && any_special(arguments_[i])) special.push_back(i);
  if (special.empty()) return {};
  if (!func_.body) return {};
  const Touched touched = tilelab::touched(*func_.body);
  const Kinds had = excused(touched);
  std::vector<NotFinite> out;
  for (size_t i : special) {
    if (had.nan || touched.written.count(name(i)) == 0) continue;
    NotFinite one = counted(arguments_[i]);
    one.buffer = name(i).str();
    if (had.inf) one.inf = 0;
    if (one.nan + one.inf > 0) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace tilelab::sim
