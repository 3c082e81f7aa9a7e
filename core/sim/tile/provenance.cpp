// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/provenance.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ir/build.h"
#include "core/support/text.h"

namespace tilelab::sim {
namespace {

double value_of(Elem elem, const uint8_t* value) {
  uint64_t bits = 0;
  std::memcpy(&bits, value, size_t(elem_bytes(elem)));
  return number_value(constant({elem}, bits)).value_or(0);
}

/// Calls f(offset, position) for each in-bounds element of a part of a box, until it is false.
template <class F> void each_element(const ResolvedBox& region, const BoxPart& part, F f) {
  each_position(part, [&](const Position& at) {
    const auto offset = offset_of(region, at);
    return !offset || f(*offset, at);
  });
}

bool is_one(const BoxPart& part) {
  return std::all_of(part.begin(), part.end(),
                     [](const auto& range) { return range.second == range.first + 1; });
}

const char* name_of(NumberKind kind) { return kind == NumberKind::nan ? "NaN" : "infinity"; }

}  // namespace

std::string value_text(Elem elem, const uint8_t* value) {
  const NumberKind kind = number_kind(elem, value);
  if (kind == NumberKind::nan) return "nan";
  const double number = value_of(elem, value);
  if (kind == NumberKind::infinity) return number < 0 ? "-inf" : "inf";
  return elem == DType::f64 ? shortest(number) : shortest(float(number));
}

// ---- elements

NaNProvenance::Elements& NaNProvenance::elements(const TileMemory& memory) {
  return memory.global < 0 ? own_ : global_[memory.global];
}

int64_t NaNProvenance::place(const TileMemory& memory, int64_t offset) const {
  const int64_t first =
      memory.global < 0 ? memory.at : memory.first_byte(block_.base(memory.number));
  return first + offset * elem_bytes(memory.elem);
}

int32_t NaNProvenance::at(const TileMemory& memory, int64_t offset) const {
  const Elements* all = &own_;
  if (memory.global >= 0) {
    const auto tensor = global_.find(memory.global);
    if (tensor == global_.end()) return none;
    all = &tensor->second;
  }
  const auto it = all->find(place(memory, offset));
  return it == all->end() ? none : it->second;
}

void NaNProvenance::set(const TileMemory& memory, int64_t offset, int32_t event) {
  if (event == none)
    elements(memory).erase(place(memory, offset));
  else
    elements(memory)[place(memory, offset)] = event;
}

std::string NaNProvenance::element(const TileMemory& memory, int64_t offset) const {
  return memory.name.str() + element_text(memory, offset);
}

// ---- events

static constexpr auto unnamed = [] { return std::string(); };

int32_t NaNProvenance::originate(const Span& span, NumberKind kind, int32_t parent, Text actor,
                                 Text what) {
  const Key key{span.file, span.line, span.col, int32_t(kind), parent, many() ? "" : actor()};
  const auto [known, fresh] = known_.try_emplace(key, int32_t(events_.size()));
  if (fresh) {
    Event event{{span, block_.place(), actor(), what()}, kind, parent, true, false, {}};
    events_.push_back(std::move(event));
  }
  return known->second;
}

/// Events that would be their own ancestors are merged: iterations of a loop give one event.
int32_t NaNProvenance::carried(const Span& span, int32_t from, const TileMemory& memory,
                               int64_t offset, Text actor) {
  if (from == none) return none;
  Event& last = events_[size_t(from)];
  if (last.is_origin && !last.stored && last.step.span == span) {
    last.stored = true;
    last.memory = memory.name;
    last.step.what += ", is stored in " + element(memory, offset);
    return from;
  }
  for (int32_t e = from; e != none; e = events_[size_t(e)].parent) {
    const Event& earlier = events_[size_t(e)];
    if (earlier.step.span == span && earlier.kind == last.kind && earlier.memory == memory.name)
      return e;
  }
  const NumberKind kind = last.kind;
  const Key key{span.file, span.line,
                span.col,  int32_t(kind),
                from,      memory.name.str() + (many() ? "" : std::to_string(offset))};
  const auto [known, fresh] = known_.try_emplace(key, int32_t(events_.size()));
  if (fresh)
    events_.push_back({{span, block_.place(), actor(), "copies it to " + element(memory, offset)},
                       kind,
                       from,
                       false,
                       true,
                       memory.name});
  return known->second;
}

std::vector<OriginStep> NaNProvenance::trace(const TileMemory& memory, int64_t offset) const {
  return trace(at(memory, offset));
}

std::vector<NotFiniteOrigin> NaNProvenance::origins() const {
  std::vector<NotFiniteOrigin> out;
  const auto& memories = block_.image().memories;
  for (const auto& tensor : global_) {
    const Elements& elements = tensor.second;
    const auto memory = std::find_if(memories.begin(), memories.end(),
                                     [&](const TileMemory& m) { return m.global == tensor.first; });
    for (const bool nan : {true, false}) {
      int64_t first = INT64_MAX;
      for (const auto& [byte, event] : elements)
        if ((kind(event) == NumberKind::nan) == nan) first = std::min(first, byte);
      if (first < INT64_MAX) out.push_back({memory->name.str(), nan, trace(elements.at(first))});
    }
  }
  return out;
}

std::vector<OriginStep> NaNProvenance::trace(int32_t event) const {
  std::vector<OriginStep> out;
  for (; event != none; event = events_[size_t(event)].parent)
    out.push_back(events_[size_t(event)].step);
  std::reverse(out.begin(), out.end());
  return out;
}

// ---- tile operations

/// The event of a non-finite element of a source, preferring `kind`.
int32_t NaNProvenance::found_in(const BoxSource& source, const Position& at, NumberKind kind) {
  const BoxPart part = source.part(at);
  const auto [known, fresh] = scanned_.try_emplace({source.box, int(kind), part}, none);
  if (!fresh) return known->second;
  int32_t found = none;
  each_element(*source.box, part, [&](int64_t offset, const Position&) {
    const int32_t event = this->at(*source.box->memory, offset);
    if (event == none) {
      const uint8_t* value = source.box->base + offset * source.box->bytes();
      if (number_kind(source.box->memory->elem, value) != kind) return true;
      found = given;
      return false;
    }
    if (found == none || this->kind(event) == kind) found = event;
    return this->kind(event) != kind;
  });
  return known->second = found;
}

/// "infinity from numbers up to a[3, 0] = 6e+04 and b[0, 5] = 2.0": the largest value of each
/// source.
std::string NaNProvenance::text_of(const BoxOperation& op, const Position& at,
                                   NumberKind kind) const {
  std::string out = name_of(kind);
  const auto& sources = op.sources;
  if (!sources.empty()) out += " from ";
  for (size_t i = 0; i < sources.size(); ++i) {
    const ResolvedBox& region = *sources[i].box;
    int64_t largest = none;
    double size = -1;
    each_element(region, sources[i].part(at), [&](int64_t offset, const Position&) {
      const double value =
          std::fabs(value_of(region.memory->elem, region.base + offset * region.bytes()));
      if (!(value <= size)) size = value, largest = offset;
      return true;
    });
    if (largest < 0) continue;
    const bool one = sources.size() == 1 && is_one(sources[i].part(at));
    out += (i     ? " and "
            : one ? ""
                  : "numbers up to ") +
           element(*region.memory, largest) + " = " +
           value_text(region.memory->elem, region.base + largest * region.bytes());
  }
  return out;
}

/// The event of an element of kind `kind` that an operation has written; `before`: the event of its
/// previous value.
int32_t NaNProvenance::element_event(const BoxOperation& op, NumberKind kind, int32_t before,
                                     const Position& at) {
  int32_t parent = before;
  for (const BoxSource& source : op.sources) {
    if (parent != none && this->kind(parent) == kind) break;
    const int32_t found = found_in(source, at, kind);
    if (found == given) return none;
    if (parent == none || (found != none && this->kind(found) == kind)) parent = found;
  }
  if (parent != none && this->kind(parent) == kind) return parent;
  const bool sums = op.rule == BoxRule::reduce
                        ? op.reduces == ReduceOp::sum || op.reduces == ReduceOp::abssum
                        : op.rule != BoxRule::update || op.combines == LaneOp::add;
  const auto text = [&] { return text_of(op, at, kind); };
  if (parent == none && sums && !accumulates_special_)
    overflows(op.span, op.target.memory->elem, unnamed, text);
  return originate(op.span, kind, parent, unnamed, text);
}

void NaNProvenance::overflows(const Span& span, Elem elem, Text actor, Text text) {
  const WatchedBlocks* warn = block_.options().warn;
  if (!brief_ || elem_bytes(elem) >= 4 || (warn && warn->made_up)) return;
  if (std::find(overflowed_.begin(), overflowed_.end(), span) != overflowed_.end()) return;
  overflowed_.push_back(span);
  Finding f = block_.finding(FindingKind::overflow, span, nullptr,
                             std::string("exceeds ") + tilelang_name(elem));
  f.where[0].actor = actor();
  f.detail = text();
  block_.warn(std::move(f));
}

static bool holds_special(const ResolvedBox& s) {
  bool found = false;
  for_each_run(s, [&](int64_t offset, int64_t n, int64_t stride) {
    const bool dense = stride == 1;
    for (int64_t i = 0; i < n && !found; i += dense ? n : 1)
      found = any_not_finite(s.memory->elem, s.base + (offset + i * stride) * s.bytes(),
                             dense ? size_t(n) : 1);
  });
  return found;
}

void NaNProvenance::before(const BoxOperation& op) {
  accumulates_special_ = brief_ && !op.overwrites && elem_bytes(op.target.memory->elem) < 4 &&
                         holds_special(op.target);
}

void NaNProvenance::after(const BoxOperation& op) {
  const bool moves =
      op.rule == BoxRule::fill ||
      (op.rule == BoxRule::copy && op.sources[0].box->memory->elem == op.target.memory->elem);
  if (brief_ && events_.empty() && (moves || !holds_special(op.target))) return;
  scanned_.clear();
  const TileMemory& memory = *op.target.memory;
  const int32_t value =
      op.rule == BoxRule::fill ? event_of(*op.runner, op.reg, op.runner->scalar_lane()) : none;
  constexpr int64_t most_special = 1024;  // of a watched run, whose time is limited
  int64_t special = 0;
  std::vector<std::pair<int64_t, int32_t>> now;  // sources may alias the target
  each_element(op.target, whole(op.target), [&](int64_t offset, const Position& position) {
    const NumberKind kind = number_kind(memory.elem, op.target.base + offset * op.target.bytes());
    int32_t event = none;
    if (op.rule == BoxRule::fill) {
      event = carried(op.span, value, memory, offset, unnamed);
    } else if (kind != NumberKind::finite) {
      if (brief_ && ++special > most_special) return false;
      const int32_t before = op.overwrites ? none : at(memory, offset);
      event = carried(op.span, element_event(op, kind, before, position), memory, offset, unnamed);
    }
    now.push_back({offset, event});
    return true;
  });
  for (const auto& [offset, event] : now) set(memory, offset, event);
}

}  // namespace tilelab::sim
