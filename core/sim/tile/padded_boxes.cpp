// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/padded_boxes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/ir/traverse.h"

namespace tilelab::sim {

// ---- elements

void PaddedElements::begin_block(int64_t bytes) {
  bytes_ = bytes;
  any_ = false;
}

PaddedElements::Id PaddedElements::id(const Origin& origin) {
  auto it = std::find(origins_.begin() + 1, origins_.end(), origin);
  if (it == origins_.end()) {
    if (origins_.size() == std::numeric_limits<Id>::max()) return 0;
    it = origins_.insert(it, origin);
  }
  return Id(it - origins_.begin());
}

PaddedElements::Id PaddedElements::made(Id id, const Span& by) {
  if (id == 0 || origins_[id].made.known()) return id;
  Origin changed = origins_[id];
  changed.made = by;
  return this->id(changed);
}

// ---- boxes

void warn_of_guard(TileBlock& block, const PaddedElements::Origin& origin, FindingSide use) {
  Finding f =
      block.finding(FindingKind::out_of_bounds, origin.read, &block.memory(origin.memory), "reads");
  f.detail = origin.where;
  f.update = true;
  f.related.insert(f.related.begin(), std::move(use));
  block.warn(std::move(f));
}

namespace {

using Id = PaddedElements::Id;

PaddedElements* padding_of(TileBlock& block) {
  return block.watch() ? &block.watch()->padding : nullptr;
}

/// The offset of a position in a box; nullopt if out of bounds of the memory.
std::optional<int64_t> offset_of(const ResolvedBox& s, const std::vector<int64_t>& at) {
  int64_t offset = 0;
  for (size_t d = 0; d < s.lo.size(); ++d) {
    const int64_t index = s.lo[d] + at[d];
    if (index < 0 || index >= s.memory->shape[d]) return std::nullopt;
    offset += index * s.memory->strides[d];
  }
  return offset;
}

BoxPart whole(const ResolvedBox& s) {
  BoxPart out;
  for (size_t d = 0; d < s.lo.size(); ++d) out.push_back({0, s.extent(d)});
  return out;
}

/// The padding for the out-of-bounds part of a copy's source.
PaddedElements::Origin outside_of(const Span& span, const ResolvedBox& s) {
  PaddedElements::Origin out{span, s.number, "", false, {}};
  for (size_t d = 0; d < s.lo.size(); ++d) {
    const int64_t end = s.lo[d] + s.extent(d);
    if (s.lo[d] >= 0 && end <= s.memory->shape[d]) continue;
    out.where = "dimension " + std::to_string(d) + " has " + std::to_string(s.memory->shape[d]) +
                " elements; this reads " + std::to_string(s.lo[d]) + " to " +
                std::to_string(end - 1);
  }
  return out;
}

double number(const ResolvedBox& s, int64_t offset) {
  double value = 0;
  cast_fn(DType::f64, s.memory->elem)(reinterpret_cast<uint8_t*>(&value),
                                      s.base + offset * s.bytes(), nullptr, nullptr, 1);
  return value;
}

/// Whether a value is neutral for a reduction, whatever the other values are.
bool is_neutral(ReduceOp op, double value) {
  const double most = std::numeric_limits<float>::max() / 2;
  switch (op) {
    case ReduceOp::max: return value <= -most;
    case ReduceOp::min: return value >= most;
    case ReduceOp::bitand_: return value == -1;
    default: return value == 0;
  }
}

/// Whether a padding value can change a reduction's result: for a maximum, if all real elements may
/// be less.
bool counts(ReduceOp op, double value, bool negative, bool positive) {
  switch (op) {
    case ReduceOp::max: return negative && !is_neutral(op, value);
    case ReduceOp::min: return positive && !is_neutral(op, value);
    default: return !is_neutral(op, value);
  }
}

const char* word(ReduceOp op) {
  switch (op) {
    case ReduceOp::max:
    case ReduceOp::absmax: return "maximum";
    case ReduceOp::min: return "minimum";
    case ReduceOp::sum:
    case ReduceOp::abssum: return "sum";
    default: return "reduction";
  }
}

/// Whether a too large maximum is harmless: it is subtracted in an exponent, as in softmax.
bool shifts_exponents(const Stmt& body, Symbol buffer) {
  bool found = false;
  walk(*body, [&](const Node& node) {
    const Call* call = as<Call>(&node);
    if (!call || std::string_view(name(call->intrinsic)).find("exp") == std::string_view::npos)
      return !found;
    walk(*call->args[0], [&](const Node& inner) {
      const Load* load = as<Load>(&inner);
      found |= load && load->buffer == buffer;
      return !found;
    });
    return !found;
  });
  return found;
}

void report(TileBlock& block, const Span& span, ReduceOp op, const ResolvedBox& target, Id id) {
  const bool most = op == ReduceOp::max || op == ReduceOp::min;
  if (most && shifts_exponents(block.kernel().body, target.memory->name)) return;
  const PaddedElements::Origin& origin = block.watch()->padding.origin(id);
  if (origin.guarded)
    return warn_of_guard(block, origin,
                         {span, "", std::string("its result changes this ") + word(op)});
  Finding f = block.finding(FindingKind::padding, span, &block.memory(origin.memory), "counts");
  f.related.clear();
  f.detail = word(op);
  f.where.push_back({origin.read, "", origin.where});
  if (origin.made.known()) f.where.push_back({origin.made, "", "changes it to another value"});
  block.warn(std::move(f));
}

}  // namespace

void pad_filled(TileBlock& block, const ResolvedBox& target) {
  PaddedElements* padding = padding_of(block);
  if (!padding || !padding->any()) return;
  for_each_run(target, [&](int64_t offset, int64_t n, int64_t stride) {
    for (int64_t i = 0; i < n; ++i) padding->set(*target.memory, offset + i * stride, 0);
  });
}

void pad_copied(TileBlock& block, const Span& span, const ResolvedBox& target,
                const ResolvedBox& source) {
  PaddedElements* padding = padding_of(block);
  if (!padding || target.memory->global >= 0) return;
  const bool whole_source = all_inside(source);
  if (whole_source && source.memory->global >= 0) return pad_filled(block, target);
  if (whole_source && !padding->any()) return;
  const Id outside = whole_source ? Id{0} : padding->id(outside_of(span, source));
  const std::vector<size_t> to = long_dims(target), from = long_dims(source);
  std::vector<int64_t> from_at(source.lo.size());
  each_position(whole(target), [&](const std::vector<int64_t>& at) {
    for (size_t i = 0; i < to.size(); ++i) from_at[from[i]] = at[to[i]];
    const auto place = offset_of(target, at), origin = offset_of(source, from_at);
    if (place)
      padding->set(*target.memory, *place, origin ? padding->at(*source.memory, *origin) : outside);
    return true;
  });
}

void pad_reduced(TileBlock& block, const Span& span, ReduceOp op, const ResolvedBox& target,
                 const ResolvedBox& source,
                 FunctionRef<BoxPart(const std::vector<int64_t>& at)> part) {
  PaddedElements* padding = padding_of(block);
  if (!padding || !padding->any()) return;
  bool reported = false;
  each_position(whole(target), [&](const std::vector<int64_t>& at) {
    Id one = 0;
    int64_t padded = 0, real = 0;
    bool negative = false, positive = false;
    double value = 0;
    each_position(part(at), [&](const std::vector<int64_t>& from) {
      const auto offset = offset_of(source, from);
      const Id id = offset ? padding->at(*source.memory, *offset) : Id{0};
      if (!offset) return true;
      const double x = number(source, *offset);
      if (id == 0) {  // a mask for padding, in a row of padding alone, is not real data
        real += !is_neutral(op, x), negative |= x<0, positive |= x> 0;
      } else if (padded++ == 0 || counts(op, x, true, true)) {
        one = id, value = x;
      }
      return true;
    });
    if (padded > 0 && real > 0 && !reported && counts(op, value, negative, positive)) {
      report(block, span, op, target, one);
      reported = true;
    }
    if (const auto place = offset_of(target, at))
      padding->set(*target.memory, *place, real == 0 ? one : Id{0});
    return true;
  });
}

void pad_multiplied(TileBlock& block, const ResolvedBox& target, std::array<size_t, 2> dims,
                    const std::array<const ResolvedBox*, 2>& factors,
                    FunctionRef<BoxPart(int which, int64_t i)> part) {
  PaddedElements* padding = padding_of(block);
  if (!padding || !padding->any()) return;
  std::array<std::vector<Id>, 2> lines;  // rows of the first operand, columns of the second
  for (size_t w = 0; w < 2; ++w)
    for (int64_t i = 0; i < target.extent(dims[w]); ++i) {
      Id line = 0;
      each_position(part(int(w), i), [&](const std::vector<int64_t>& at) {
        const auto offset = offset_of(*factors[w], at);
        line = offset ? padding->at(*factors[w]->memory, *offset) : Id{0};
        return line != 0;
      });
      lines[w].push_back(line);
    }
  each_position(whole(target), [&](const std::vector<int64_t>& at) {
    const Id row = lines[0][size_t(at[dims[0]])], column = lines[1][size_t(at[dims[1]])];
    if (const auto place = offset_of(target, at))
      padding->set(*target.memory, *place, row ? row : column);
    return true;
  });
}

}  // namespace tilelab::sim
