// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/padding.h"

#include <algorithm>
#include <limits>

#include "core/ir/traverse.h"
#include "core/sim/indices.h"
#include "core/sim/tile/outside.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {

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

PaddedElements::Id PaddedElements::mixed(Id id) {
  if (id == 0 || origins_[id].corner.empty() || origins_[id].single) return id;
  Origin changed = origins_[id];
  changed.corner.clear();
  return this->id(changed);
}

namespace {

using Id = PaddedElements::Id;

/// The padding for the out-of-bounds part of a copy's source.
PaddedElements::Origin outside_of(const Span& span, const ResolvedBox& s) {
  PaddedElements::Origin out{span, s.number, "", false, {}, "", false};
  for (size_t d = 0; d < s.lo.size(); ++d) {
    const auto [lo, hi] = visible(s, d);
    if (lo >= hi) out.corner = index_text(s.lo);
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

const char* word_of(ReduceOp op) {
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
  return any_of(*body, [&](const Call& call) {
    return std::string_view(name(call.intrinsic)).find("exp") != std::string_view::npos &&
           any_of(*call.args[0], [&](const Load& load) { return load.buffer == buffer; });
  });
}

/// Calls f(offset in the target, offset in the source or nullopt) for each element of a copy whose
/// place in the target is in bounds, row-major, until it returns false.
template <class F> void each_copied(const ResolvedBox& target, const ResolvedBox& source, F f) {
  const std::vector<size_t> to = long_dims(target), from = long_dims(source);
  // A row: what is in bounds are ranges of positions, and offsets grow by strides.
  std::pair<int64_t, int64_t> there{0, 1}, here{0, 1};
  int64_t to_stride = 0, from_stride = 0;
  BoxPart rows = whole(target);
  if (!to.empty()) {
    there = visible(target, to.back()), here = visible(source, from.back());
    to_stride = target.memory->strides[to.back()];
    from_stride = source.memory->strides[from.back()];
    rows[to.back()] = {there.first, there.first + 1};
  }
  Position from_at(source.lo.size());
  each_position(rows, [&](const Position& at) {
    const auto place = offset_of(target, at);
    if (!place) return true;
    for (size_t i = 0; i < to.size(); ++i) from_at[from[i]] = at[to[i]];
    if (!to.empty()) from_at[from.back()] = here.first;
    const auto origin = offset_of(source, from_at);
    for (int64_t i = there.first; i < there.second; ++i) {
      const bool known = origin && i >= here.first && i < here.second;
      if (!f(*place + (i - there.first) * to_stride,
             known ? std::optional(*origin + (i - here.first) * from_stride) : std::nullopt))
        return false;
    }
    return true;
  });
}

/// Propagates padding: a stored value is padding if it depends on padding.
class PaddingWatch : public TileObserver {
 public:
  PaddingWatch(TileBlock& block, const OutsideWatch* outside) : block_(block), outside_(outside) {}

  void begin_block() override {
    padding_.begin_block(block_.image().block_bytes);
    filled_.assign(block_.image().memories.size(), 0);
  }
  void begin_chunk(TileRunner& lanes) override {
    std::erase_if(loads_, [&](const auto& load) { return load.second.who == &lanes; });
  }
  bool accessed_as_run(const LaneAccess& a, int64_t) override {
    if (a.kind != TouchKind::read) filled_[size_t(a.memory.root)] = 0;
    return !concerns(a);
  }
  void accessed(const LaneAccess& a) override;
  void stored(const LaneAccess& a) override;
  void before(const BoxOperation& op) override;

 private:
  bool concerns(const LaneAccess& a) const;
  bool depends_on_padding(const LaneAccess& a);
  Id padding_of(const OutsideWatch::Load& load, TileRunner& runner);
  void fill(const ResolvedBox& target);
  void copy(const Span& span, const ResolvedBox& target, const ResolvedBox& source);
  void leave(const Span& span, const ResolvedBox& target, const ResolvedBox& source);
  void reduce(const BoxOperation& op);
  void multiply(const BoxOperation& op, bool alone);
  bool leaves(const PaddedElements::Origin& origin, const Span& by, const TileMemory& to);
  void stores_nothing(const PaddedElements::Origin& origin, const Span& by, const TileMemory& to);
  void warn_of_element(const PaddedElements::Origin& origin, FindingSide use);
  void report(const BoxOperation& op, Id id);
  /// Calls f(padding, offset) for the elements of a source that are in bounds, until it is false.
  template <class F> void each(const BoxSource& source, const Position& at, F f) const {
    each_position(source.part(at), [&](const Position& from) {
      const auto offset = offset_of(*source.box, from);
      return !offset || f(padding_.at(*source.box->memory, *offset), *offset);
    });
  }

  TileBlock& block_;
  const OutsideWatch* outside_;  // null: guarded loads are not known
  PaddedElements padding_;
  std::vector<uint8_t> filled_;  // by memory: a fill was the last operation on it
  /// Loads of the latest chunk that gave padding to some lanes.
  struct Load {
    const TileRunner* who = nullptr;
    std::vector<Id> lanes;
  };
  std::unordered_map<int64_t, Load> loads_;
  // Of the lanes of a store: the padding on which the value depends, and whether it depends on a
  // value that is not padding.
  std::vector<Id> ids_;
  std::vector<uint8_t> real_;
};

// ---- lanes

/// Whether padding may reach the access, or, for a store to a tensor, leave the block.
bool PaddingWatch::concerns(const LaneAccess& a) const {
  if (a.own()) return padding_.any() || (outside_ && outside_->any_loads());
  return a.access.writes && padding_.any();
}

void PaddingWatch::accessed(const LaneAccess& a) {
  if (a.kind != TouchKind::read || !padding_.any() || !concerns(a)) return;
  Load& load = loads_[a.id];
  load.who = &a.runner;
  load.lanes.assign(size_t(a.lanes), 0);
  for (int64_t l = 0; l < a.lanes; ++l)
    if (a.touches(l)) load.lanes[size_t(l)] = padding_.at(a.memory, a.offsets[l]);
}

/// The padding that an out-of-bounds load gave to the chunk's lanes.
Id PaddingWatch::padding_of(const OutsideWatch::Load& load, TileRunner& runner) {
  const TileMemory& m = block_.memory(load.memory);
  PaddedElements::Origin origin{load.span, load.memory, "",         load.conditional,
                                {},        load.corner, load.single};
  for (size_t l = 0; l < size_t(runner.chunk()); ++l) {
    if (!load.lanes[l]) continue;
    std::vector<int64_t> index;
    for (size_t d = 0; d < load.index.size(); ++d) {
      const int64_t at = load.index[d][l];
      index.push_back(at);
      origin.guarded &= at >= -1 && at <= m.shape[d];
    }
    if (origin.where.empty())
      origin.where = runner.outside_finding(m, load.span, index, int64_t(l), false).detail;
  }
  return padding_.id(origin);
}

void PaddingWatch::stored(const LaneAccess& a) {
  filled_[size_t(a.memory.root)] = 0;
  if (a.kind != TouchKind::write || !concerns(a)) return;
  if (!depends_on_padding(a)) {
    if (a.own() && padding_.any())
      for (int64_t l = 0; l < a.lanes; ++l)
        if (a.touches(l)) padding_.set(a.memory, a.offsets[l], 0);
    return;
  }
  const int64_t bytes = a.bytes();
  for (int64_t l = 0; l < a.lanes; ++l) {
    if (!a.touches(l)) continue;
    Id id = ids_[size_t(l)];
    // The values of a pair do not depend on each other.
    if (real_[size_t(l)]) id = a.memory.pairs ? Id{0} : padding_.mixed(id);
    if (!a.own()) {
      const PaddedElements::Origin& origin = padding_.origin(id);
      if (leaves(origin, a.runner.span(), a.memory)) return;
      continue;
    }
    const uint8_t* bits = a.value + l * bytes;
    const bool zero = std::all_of(bits, bits + bytes, [](uint8_t b) { return b == 0; });
    padding_.set(a.memory, a.offsets[l], zero ? id : padding_.made(id, a.runner.span()));
  }
}

/// Finds on what the stored value of each lane depends (ids_, real_); false if no lane's depends on
/// padding.
bool PaddingWatch::depends_on_padding(const LaneAccess& a) {
  const WatchedBlocks* warn = block_.options().warn;
  ids_.assign(size_t(a.lanes), 0);
  real_.assign(size_t(a.lanes), 0);
  const auto take = [&](size_t lane, Id id) {
    if (id)
      ids_[lane] = id;
    else
      real_[lane] = 1;
  };
  bool any = false;
  for (int32_t use : a.access.uses) {
    const OutsideWatch::Load* outside = outside_ ? outside_->load(a.runner, use) : nullptr;
    const auto padded = loads_.find(use);
    const bool tensor = block_.memory(block_.image().accesses[size_t(use)].memory).global >= 0;
    if (outside) {
      if (!a.own()) continue;  // OutsideWatch reports it
      const Id id = padding_of(*outside, a.runner);
      for (size_t l = 0; l < ids_.size(); ++l) take(l, outside->lanes[l] ? id : Id{0});
      any = true;
    } else if (tensor && a.own() && warn && warn->made_up) {
      return false;  // it may be a mask
    } else if (padded != loads_.end() && padded->second.who == &a.runner) {
      for (size_t l = 0; l < ids_.size(); ++l) take(l, padded->second.lanes[l]);
      any = true;
    } else {
      real_.assign(real_.size(), 1);
    }
  }
  return any;
}

// ---- boxes

void PaddingWatch::before(const BoxOperation& op) {
  uint8_t& filled = filled_[size_t(op.target.memory->root)];
  const bool onto_filled = std::exchange(filled, op.rule == BoxRule::fill);
  if (op.rule == BoxRule::copy) return copy(op.span, op.target, *op.sources[0].box);
  if (!padding_.any()) return;
  switch (op.rule) {
    case BoxRule::fill:
    case BoxRule::scan: return fill(op.target);
    case BoxRule::reduce: return reduce(op);
    case BoxRule::multiply: return multiply(op, op.overwrites || onto_filled);
    default: return;
  }
}

void PaddingWatch::fill(const ResolvedBox& target) {
  if (!padding_.any()) return;
  for_each_run(target, [&](int64_t offset, int64_t n, int64_t stride) {
    for (int64_t i = 0; i < n; ++i) padding_.set(*target.memory, offset + i * stride, 0);
  });
}

void PaddingWatch::copy(const Span& span, const ResolvedBox& target, const ResolvedBox& source) {
  if (target.memory->global >= 0) return leave(span, target, source);
  const bool inside = all_inside(source);
  if (inside && source.memory->global >= 0) return fill(target);
  if (inside && !padding_.any()) return;
  const Id outside = inside ? Id{0} : padding_.id(outside_of(span, source));
  each_copied(target, source, [&](int64_t place, std::optional<int64_t> origin) {
    padding_.set(*target.memory, place, origin ? padding_.at(*source.memory, *origin) : outside);
    return true;
  });
}

/// A copy to a tensor.
void PaddingWatch::leave(const Span& span, const ResolvedBox& target, const ResolvedBox& source) {
  if (!padding_.any() || source.memory->global >= 0) return;
  each_copied(target, source, [&](int64_t, std::optional<int64_t> from) {
    if (!from) return true;
    const PaddedElements::Origin& origin = padding_.origin(padding_.at(*source.memory, *from));
    return !leaves(origin, span, *target.memory);
  });
}

/// Reports padding that changes a reduction.
void PaddingWatch::reduce(const BoxOperation& op) {
  bool reported = false;
  each_position(whole(op.target), [&](const Position& at) {
    Id one = 0;
    int64_t padded = 0, real = 0;
    bool negative = false, positive = false;
    double value = 0;
    each(op.sources[0], at, [&](Id id, int64_t offset) {
      const double x = number(*op.sources[0].box, offset);
      if (id == 0) {  // a mask for padding, in a row of padding alone, is not real data
        real += !is_neutral(op.reduces, x), negative |= x<0, positive |= x> 0;
      } else if (padded++ == 0 || counts(op.reduces, x, true, true)) {
        one = id, value = x;
      }
      return true;
    });
    if (padded > 0 && real > 0 && !reported && counts(op.reduces, value, negative, positive)) {
      report(op, one);
      reported = true;
    }
    if (const auto place = offset_of(op.target, at))
      padding_.set(*op.target.memory, *place, real == 0 ? one : Id{0});
    return true;
  });
}

/// A dot product is padding if its row or its column consists of padding alone. `alone`: it is not
/// added to another value.
void PaddingWatch::multiply(const BoxOperation& op, bool alone) {
  std::vector<std::vector<int32_t>> lines;  // by source and the dimension along it; -1: not known
  for (const BoxSource& source : op.sources)
    lines.emplace_back(size_t(op.target.extent(source.along)), -1);
  each_position(whole(op.target), [&](const Position& at) {
    Id found = 0;
    for (size_t i = 0; i < lines.size() && !found; ++i) {
      int32_t& line = lines[i][size_t(at[op.sources[i].along])];
      if (line < 0) each(op.sources[i], at, [&](Id id, int64_t) { return (line = id) != 0; });
      found = Id(std::max(line, 0));
    }
    const auto place = offset_of(op.target, at);
    if (place && found && !alone) {
      const Id before = padding_.at(*op.target.memory, *place);
      if (before == 0 || padding_.origin(before).corner.empty()) found = padding_.mixed(found);
    }
    if (place) padding_.set(*op.target.memory, *place, found);
    return true;
  });
}

/// A value that depends on padding is stored in a tensor: whether that is reported.
bool PaddingWatch::leaves(const PaddedElements::Origin& origin, const Span& by,
                          const TileMemory& to) {
  if (origin.single || (origin.guarded && origin.made.known() && origin.corner.empty()))
    warn_of_element(origin, {by, "", "stores a result of it in " + to.name.str()});
  else if (!origin.corner.empty())
    stores_nothing(origin, by, to);
  else
    return false;
  return true;
}

/// A result in a tensor that derives only from elements out of bounds.
void PaddingWatch::stores_nothing(const PaddedElements::Origin& origin, const Span& by,
                                  const TileMemory& to) {
  const TileMemory& m = block_.memory(origin.memory);
  Finding f = block_.finding(FindingKind::padded_result, origin.read, &m, "reads");
  f.element = origin.corner;
  f.detail = "index " + f.element + " of shape " + index_text(m.shape);
  f.where.push_back({by, "", "stores a result of these zeros alone in " + to.name.str()});
  block_.warn(std::move(f));
}

/// An element read out of bounds, perhaps after a guard that is too wide: `use` describes its use.
void PaddingWatch::warn_of_element(const PaddedElements::Origin& origin, FindingSide use) {
  Finding f = block_.finding(FindingKind::out_of_bounds, origin.read, &block_.memory(origin.memory),
                             "reads");
  if (origin.single) f.element = origin.corner;
  f.detail = origin.where;
  f.update = origin.guarded && !origin.single;
  std::vector<FindingSide>& sides = f.update ? f.related : f.where;
  sides.insert(f.update ? sides.begin() : sides.end(), std::move(use));
  block_.warn(std::move(f));
}

void PaddingWatch::report(const BoxOperation& op, Id id) {
  const bool most = op.reduces == ReduceOp::max || op.reduces == ReduceOp::min;
  if (most && shifts_exponents(block_.kernel().body, op.target.memory->name)) return;
  const PaddedElements::Origin& origin = padding_.origin(id);
  const std::string word = word_of(op.reduces);
  if (origin.guarded)
    return warn_of_element(origin, {op.span, "", "its result changes this " + word});
  Finding f =
      block_.finding(FindingKind::padding, op.span, &block_.memory(origin.memory), "counts");
  f.related.clear();
  f.detail = word;
  f.where.push_back({origin.read, "", origin.where});
  if (origin.made.known()) f.where.push_back({origin.made, "", "changes it to another value"});
  block_.warn(std::move(f));
}

}  // namespace

Observer watch_padding(TileBlock& block, const OutsideWatch* outside) {
  return std::make_unique<PaddingWatch>(block, outside);
}

}  // namespace tilelab::sim
