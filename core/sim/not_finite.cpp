// SPDX-License-Identifier: Apache-2.0
#include "core/sim/not_finite.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/ir/traverse.h"
#include "core/sim/indices.h"
#include "core/sim/lanes/lanes.h"
#include "core/sim/sim.h"
#include "core/support/extents.h"
#include "core/support/workers.h"

namespace tilelab::sim {
namespace {

/// The encoding of non-finite values of a type, in the bits below its sign: codes from `inf` on.
/// `has_inf`: `inf` itself is infinity, larger codes are NaN. `whole`: one code of all bits is NaN,
/// and there is no other.
struct Spelling {
  uint64_t inf = 0;
  bool has_inf = true;
  bool whole = false;
};

std::optional<Spelling> spelling(DType dtype) {
  switch (dtype) {
    case DType::f64: return Spelling{0x7ff0000000000000u};
    case DType::f32: return Spelling{0x7f800000u};
    case DType::f16: return Spelling{0x7c00u};
    case DType::bf16: return Spelling{0x7f80u};
    case DType::e5m2: return Spelling{0x7cu};
    case DType::e4m3: return Spelling{0x7fu, false};
    case DType::e4m3fnuz:
    case DType::e5m2fnuz: return Spelling{0x80u, false, true};
    case DType::e8m0: return Spelling{0xffu, false, true};
    default: return std::nullopt;
  }
}

NumberKind kind_of(const Spelling& how, int size, const void* value) {
  uint64_t bits = 0;
  std::memcpy(&bits, value, static_cast<size_t>(size));
  if (how.whole) return bits == how.inf ? NumberKind::nan : NumberKind::finite;
  bits &= ~uint64_t{0} >> (65 - 8 * size);
  if (bits < how.inf) return NumberKind::finite;
  return how.has_inf && bits == how.inf ? NumberKind::infinity : NumberKind::nan;
}

bool any_special(const Spelling& how, int size, const void* values, size_t n) {
  return how.whole ? std::memchr(values, int(how.inf), n) != nullptr
                   : any_magnitude(values, size, how.inf, n);
}

/// Iterates over the contiguous rows of a tensor; a tensor without gaps is one row.
class Rows {
 public:
  explicit Rows(const Argument& tensor) : tensor_(tensor), shape_(tensor.shape) {
    strides_ = tensor.strides;
    if (strides_.empty()) strides_ = row_major_strides(shape_);
    split_ = shape_.size();
    while (split_ > 0 && (shape_[split_ - 1] == 1 || strides_[split_ - 1] == length_))
      length_ *= shape_[--split_];
    elements_ = volume(shape_);
  }
  int64_t elements() const { return elements_; }
  const std::vector<int64_t>& strides() const { return strides_; }
  int64_t length() const { return length_; }
  int64_t count() const { return length_ ? elements_ / length_ : 0; }
  const uint8_t* row(int64_t number) const {
    int64_t offset = 0;
    for (size_t d = split_; d-- > 0; number /= shape_[d])
      offset += number % shape_[d] * strides_[d];
    return static_cast<const uint8_t*>(tensor_.data) + offset * bytes(tensor_.dtype);
  }
  const uint8_t* at(const std::vector<int64_t>& index) const {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides_[d];
    return static_cast<const uint8_t*>(tensor_.data) + offset * bytes(tensor_.dtype);
  }
  std::vector<int64_t> index(int64_t element) const { return index_of(element, shape_); }

 private:
  const Argument& tensor_;
  std::vector<int64_t> shape_, strides_;
  size_t split_ = 0;  // dimensions before it choose the row
  int64_t length_ = 1, elements_ = 1;
};

/// Large tensors are scanned in pieces by `threads` threads; a piece takes longer than waking a
/// thread.
bool any_special(const Argument& tensor, int threads) {
  constexpr int64_t piece = 1 << 18;
  const auto how = tensor.data ? spelling(tensor.dtype) : std::nullopt;
  if (!how) return false;
  const Rows rows(tensor);
  if (rows.elements() == 0) return false;
  const int64_t pieces_of_row = (rows.length() + piece - 1) / piece;
  const int64_t pieces = rows.count() * pieces_of_row;
  std::atomic<int64_t> next{0};
  std::atomic<bool> found{false};
  auto scan = [&] {
    for (int64_t p = next++; p < pieces && !found; p = next++) {
      const int64_t at = p % pieces_of_row * piece, size = bytes(tensor.dtype);
      const uint8_t* from = rows.row(p / pieces_of_row) + at * size;
      const auto count = size_t(std::min(piece, rows.length() - at));
      if (any_special(*how, int(size), from, count)) found = true;
    }
  };
  const int64_t more = std::min<int64_t>(threads, (rows.elements() + piece - 1) / piece) - 1;
  if (more > 0)
    run_concurrently(int(more), scan);
  else
    scan();
  return found;
}

/// A box of the tensor, as a tensor.
Argument part(const Argument& tensor, const Sample::Box& box) {
  Argument out = tensor;
  for (size_t d = 0; d < out.shape.size(); ++d)
    out.shape[d] = std::max<int64_t>(box.hi[d] - box.lo[d], 0);
  const Rows rows(tensor);
  out.strides = rows.strides();
  out.data = const_cast<uint8_t*>(rows.at(box.lo));
  return out;
}

/// Counts element by element, for tensors with non-finite values. `infinite`: infinities too.
/// `boxes`: restrict the count to these; null: the whole tensor.
NotFinite counted(const Argument& tensor, bool infinite = true,
                  const std::vector<Sample::Box>* boxes = nullptr) {
  NotFinite out;
  const Spelling how = *spelling(tensor.dtype);
  const int size = bytes(tensor.dtype);
  Rows rows(tensor);
  out.elements = rows.elements();
  auto scan = [&](const uint8_t* at, auto index) {
    const NumberKind kind = kind_of(how, size, at);
    if (kind == NumberKind::finite || (kind == NumberKind::infinity && !infinite)) return;
    if (out.nan + out.inf == 0 || index() < out.first) out.first = index();
    ++(kind == NumberKind::infinity ? out.inf : out.nan);
    // A single byte may be 0xFF by chance.
    out.poison += size > 1 && std::all_of(at, at + size, [](uint8_t byte) { return byte == 0xFF; });
  };
  if (boxes) {
    for (const Sample::Box& box : *boxes)
      each_index(box, [&](const std::vector<int64_t>& index) {
        scan(rows.at(index), [&] { return index; });
      });
    return out;
  }
  for (int64_t r = 0; r < rows.count(); ++r)
    for (int64_t i = 0; i < rows.length(); ++i)
      scan(rows.row(r) + i * size, [&] { return rows.index(r * rows.length() + i); });
  return out;
}

}  // namespace

NumberKind number_kind(DType dtype, const void* value) {
  const auto how = spelling(dtype);
  return how ? kind_of(*how, bytes(dtype), value) : NumberKind::finite;
}

bool any_not_finite(DType dtype, const void* values, size_t n) {
  const auto how = spelling(dtype);
  return how && any_special(*how, bytes(dtype), values, n);
}

// Calls of tiny kernels are frequent. Scanning their few elements is faster than computing what the
// function touches, so that is done only for larger ones and when a run left NaN or infinity.
NotFiniteWatch::NotFiniteWatch(const Func& func, std::span<const Argument> arguments, int threads,
                               const Sample* sample)
    : func_(func),
      arguments_(arguments),
      threads_(threads),
      sample_(sample),
      before_(arguments.size()) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!arguments[i].fresh && (!large(arguments[i]) || changes(i))) before_[i] = kinds(i);
}

bool NotFiniteWatch::large(const Argument& argument) {
  return argument.tensor && Rows(argument).elements() > 1 << 12;
}

const Touched& NotFiniteWatch::touched() const {
  if (!touched_) touched_ = func_.body ? tilelab::touched(*func_.body) : Touched{};
  return *touched_;
}

bool NotFiniteWatch::written(size_t i) const { return touched().written.count(name(i)) != 0; }

/// Whether the function can write an argument's memory, through an alias too.
bool NotFiniteWatch::changes(size_t i) const {
  for (size_t j = 0; j < arguments_.size(); ++j)
    if (arguments_[j].tensor && written(j) && (i == j || overlap(arguments_[i], arguments_[j])))
      return true;
  return false;
}

NotFiniteWatch::Kinds NotFiniteWatch::kinds(size_t i) const {
  const Argument& argument = arguments_[i];
  Kinds out;
  if (!argument.tensor) {
    out.add(is_float(argument.dtype) ? decode_float(argument.dtype, argument.bits) : 0);
  } else if (any_special(argument, threads_)) {
    const NotFinite has = counted(argument);
    out = {has.nan > 0, has.inf > 0};
  }
  return out;
}

NotFiniteWatch::Kinds NotFiniteWatch::excused() const {
  Kinds out;
  for_each(func_, [&](const Const& c) {
    if (is_float(c.type.dtype)) out.add(decode_float(c.type.dtype, c.bits));
  });
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].fresh || (arguments_[i].tensor && touched().read.count(name(i)) == 0))
      continue;
    const Kinds had = before_[i] ? *before_[i] : kinds(i);
    out.nan |= had.nan, out.inf |= had.inf;
  }
  return out;
}

Symbol NotFiniteWatch::name(size_t i) const { return to<Param>(func_.params[i]).name; }

/// The boxes of an argument to check; nullopt: all of it.
std::optional<std::vector<Sample::Box>> NotFiniteWatch::boxes_of(size_t i) const {
  return sample_ ? sample_->boxes(name(i), arguments_[i].shape) : std::nullopt;
}

bool NotFiniteWatch::left_special(size_t i) const {
  const auto boxes = boxes_of(i);
  if (!boxes) return any_special(arguments_[i], threads_);
  return std::any_of(boxes->begin(), boxes->end(), [&](const Sample::Box& box) {
    return any_special(part(arguments_[i], box), threads_);
  });
}

std::vector<NotFinite> NotFiniteWatch::found() const {
  std::vector<size_t> special;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (!argument.tensor || (large(argument) && !written(i))) continue;
    if (left_special(i)) special.push_back(i);
  }
  if (special.empty()) return {};
  const Kinds had = excused();
  std::vector<NotFinite> out;
  for (size_t i : special) {
    if (had.nan || !written(i)) continue;
    const auto boxes = boxes_of(i);
    NotFinite one = counted(arguments_[i], !had.inf, boxes ? &*boxes : nullptr);
    one.buffer = name(i).str();
    if (one.nan + one.inf > 0) out.push_back(std::move(one));
  }
  return out;
}

void join_origins(RunResult& result) {
  bool located = false;
  for (NotFinite& one : result.not_finite)
    for (const NotFiniteOrigin& origin : result.origins)
      if (origin.buffer == one.buffer && origin.nan == (one.nan > 0))
        one.origin = origin.steps, located = true;
  const auto overflow = [](const Finding& f) { return f.kind == FindingKind::overflow; };
  if (!result.not_finite.empty()) std::erase_if(result.findings, overflow);
  if (located) std::erase_if(result.warnings, overflow);
}

}  // namespace tilelab::sim
