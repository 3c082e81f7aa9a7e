// SPDX-License-Identifier: Apache-2.0
// Provenance of NaN and infinity in the lanes of a tile-level program: the event of each non-finite
// register lane.
#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "core/sim/tile/provenance.h"
#include "core/support/text.h"

namespace tilelab::sim {
namespace {

constexpr int32_t none = NaNProvenance::none;

/// The operation of a lane kernel, found by its address.
struct Computation {
  std::optional<LaneOp> op;  // otherwise a cast
  Elem to = Elem::f32, from = Elem::f32;
};

const Computation* computation_of(LaneFn fn) {
  static const std::unordered_map<LaneFn, Computation> all = [] {
    std::unordered_map<LaneFn, Computation> made;
    for (int e = 0; e < elem_count; ++e) {
      const Elem elem = Elem(e);
      for (int op = 0; op < lane_op_count; ++op)
        if (LaneFn fn = lane_fn(LaneOp(op), elem); fn && !lane_op_gives_mask(LaneOp(op)))
          made.try_emplace(fn, Computation{LaneOp(op), elem, elem});
      for (int from = 0; from < elem_count; ++from)
        if (LaneFn fn = cast_fn(elem, Elem(from)))
          made.try_emplace(fn, Computation{std::nullopt, elem, Elem(from)});
    }
    return made;
  }();
  const auto it = all.find(fn);
  return it == all.end() ? nullptr : &it->second;
}

bool selects(const Instr& i) { return i.fn == select_fn(i.bytes); }

/// "exp(600.0)", "inf - inf".
std::string text_of(const Computation& c, const std::vector<std::string>& operands) {
  if (!c.op) return operands[0] + " as " + name(c.to);
  static const std::unordered_map<LaneOp, const char*> signs{
      {LaneOp::add, " + "}, {LaneOp::sub, " - "}, {LaneOp::mul, " * "}, {LaneOp::div, " / "}};
  if (auto sign = signs.find(*c.op); sign != signs.end()) return join(operands, sign->second);
  return std::string(lane_op_name(*c.op)) + "(" + join(operands, ", ") + ")";
}

}  // namespace

std::vector<int32_t>& TileRunner::events_of(Reg reg) {
  std::vector<int32_t>& lanes = events_[reg];
  lanes.resize(size_t(lanes_), none);
  return lanes;
}

int32_t TileRunner::event_of(Reg reg, int lane) const {
  const auto it = events_.find(reg);
  return it == events_.end() || size_t(lane) >= it->second.size() ? none : it->second[size_t(lane)];
}

void TileRunner::forget_events() {
  events_.clear();
  loaded_.clear();
  traces = block_.provenance() != nullptr;
}

/// Passes the events of the enclosing program's values to the iterations.
void TileRunner::take_events(TileRunner& outer, const CallSite& site) {
  for (const TileParallel::Capture& c : parallel_->captures) {
    const Reg from = site.operands[size_t(c.operand)].regs[0];
    const int32_t event = outer.event_of(from, outer.scalar_lane());
    events_.erase(c.reg);
    if (event != none) std::fill_n(events_of(c.reg).begin(), lanes_, event);
  }
}

void TileRunner::traced(const Instr& i) {
  switch (i.op) {
    case Op::load_reg:
    case Op::store_reg: return traced_element(i);
    default: break;
  }
  if (i.op == Op::masked && !i.fn) {
    compute(i);
    return copy_events(i.dst, i.a);
  }
  const Computation* what = computation_of(i.fn);
  if (selects(i)) return traced_choice(i);
  if (!what || !is_float(what->to)) {
    compute(i);
    events_.erase(i.dst);
    return;
  }
  traced_number(i, what->op ? lane_op_operands(*what->op) : 1, what->to, what->from,
                [&](auto& in) { return text_of(*what, in); });
}

/// Registers of a local array, with an index per lane.
void TileRunner::traced_element(const Instr& i) {
  const RegArray& array = program().arrays[i.extra];
  std::vector<int64_t> index(size_t(lanes_), -1);
  for (int l = 0; l < lanes_; ++l)
    if (mask()[l]) index[size_t(l)] = integer(i.a, i.elem, l);
  compute(i);
  for (int l = 0; l < lanes_; ++l) {
    if (index[size_t(l)] < 0 || index[size_t(l)] >= array.count) continue;
    const Reg element = array.first + Reg(index[size_t(l)]) * array.stride;
    if (i.op == Op::load_reg)
      events_of(i.dst)[size_t(l)] = event_of(element, l);
    else
      events_of(element)[size_t(l)] = event_of(i.b, l);
  }
}

void TileRunner::traced_choice(const Instr& i) {
  std::vector<int32_t> events(size_t(lanes_), none);
  const uint8_t* condition = at(i.a);
  for (int l = 0; l < lanes_; ++l) events[size_t(l)] = event_of(condition[l] ? i.b : i.c, l);
  compute(i);
  for (int l = 0; l < lanes_; ++l)
    if (mask()[l]) events_of(i.dst)[size_t(l)] = events[size_t(l)];
}

void TileRunner::copy_events(Reg to, Reg from) {
  if (!events_.count(from) && !events_.count(to)) return;
  for (int l = 0; l < lanes_; ++l)
    if (mask()[l]) events_of(to)[size_t(l)] = event_of(from, l);
}

void TileRunner::traced_number(const Instr& i, int operands, Elem to, Elem from,
                               FunctionRef<std::string(const std::vector<std::string>&)> text) {
  const int64_t in_bytes = elem_bytes(from), out_bytes = elem_bytes(to);
  const Reg regs[3] = {i.a, i.b, i.c};
  std::vector<std::vector<uint8_t>> before;  // the result may overwrite an operand
  std::vector<std::vector<int32_t>> events;
  for (int k = 0; k < operands; ++k) {
    before.emplace_back(at(regs[k]), at(regs[k]) + lanes_ * in_bytes);
    std::vector<int32_t>& mine = events.emplace_back(size_t(lanes_), none);
    for (int l = 0; l < lanes_; ++l) mine[size_t(l)] = event_of(regs[k], l);
  }
  compute(i);
  if (i.op == Op::lanes) events_.erase(i.dst);
  for (int l = 0; l < lanes_; ++l) {
    if (!mask()[l]) continue;
    const NumberKind kind = number_kind(to, at(i.dst) + l * out_bytes);
    int32_t event = none, parent = none;
    bool same = kind == NumberKind::finite;
    std::vector<std::string> values;
    for (int k = 0; k < operands && !same; ++k) {
      const uint8_t* value = before[size_t(k)].data() + l * in_bytes;
      const NumberKind had = number_kind(from, value);
      if (had == kind) event = events[size_t(k)][size_t(l)], same = true;
      if (had != NumberKind::finite && parent == none) parent = events[size_t(k)][size_t(l)];
      values.push_back(value_text(from, value));
    }
    if (!same)
      event = block_.provenance()->originate(span(), kind, parent, actor_of_lane(l), [&] {
        return text(values) + " is " + value_text(to, at(i.dst) + l * out_bytes) + loads_text(l);
      });
    if (event != none || events_.count(i.dst)) events_of(i.dst)[size_t(l)] = event;
  }
}

std::string TileRunner::actor_of_lane(int lane) const {
  return lane_name(first_iteration() + lane);
}

/// "; a[3, 7] = 512.0, top[3] = 0.0": the values that the line has read in the lane.
std::string TileRunner::loads_text(int lane) {
  std::vector<std::string> out;
  for (const auto& [access, load] : loaded_) {
    if (load.span.line != span().line || load.span.file != span().file) continue;
    if (load.offsets[size_t(lane)] < 0) continue;
    const TileMemory& m = block_.memory(load.memory);
    const std::string text = m.name.str() + element_text(m, load.offsets[size_t(lane)]) + " = " +
                             value_text(m.elem, load.values.data() + lane * elem_bytes(m.elem));
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  }
  return out.empty() ? "" : "; " + join(out, ", ");
}

/// After a load: offsets_ and outside_ are those of its lanes.
void TileRunner::trace_load(const TileAccess& access, const CallSite& site) {
  const TileMemory& m = block_.memory(access.memory);
  const int64_t bytes = elem_bytes(m.elem);
  const uint8_t* value = at(site.results[0]);
  events_.erase(site.results[0]);
  Loaded& load = loaded_[site.numbers[0]];
  load = {span(),
          access.memory,
          std::vector<int64_t>(size_t(lanes_), -1),
          {value, value + chunk_ * bytes}};
  for (int l = 0; l < chunk_; ++l) {
    if (!mask()[l] || outside_[size_t(l)]) continue;
    load.offsets[size_t(l)] = offsets_[size_t(l)];
    if (number_kind(m.elem, value + l * bytes) == NumberKind::finite) continue;
    const int32_t event = block_.provenance()->at(m, offsets_[size_t(l)]);
    if (event != none) events_of(site.results[0])[size_t(l)] = event;
  }
}

/// After a store, for the lanes in bounds.
void TileRunner::trace_store(const TileAccess& access, const CallSite& site) {
  for (int l = 0; l < chunk_; ++l)
    if (mask()[l] && !outside_[size_t(l)]) trace_element(access, site, l, false);
}

/// Lane `lane` has stored to an element, or added to it.
void TileRunner::trace_element(const TileAccess& access, const CallSite& site, int lane,
                               bool adds) {
  const TileMemory& m = block_.memory(access.memory);
  NaNProvenance& provenance = *block_.provenance();
  const int64_t offset = offsets_[size_t(lane)];
  const uint8_t* place = block_.base(access.memory) + offset * elem_bytes(m.elem);
  const NumberKind kind = number_kind(m.elem, place);
  if (kind == NumberKind::finite) return provenance.set(m, offset, none);
  const Reg value = site.operands.back().regs[0];
  const int32_t before = adds ? provenance.at(m, offset) : none, brought = event_of(value, lane);
  int32_t event = before != none && provenance.kind(before) == kind ? before : brought;
  if (adds && (event == none || provenance.kind(event) != kind))
    event = provenance.originate(
        span(), kind, event == none ? before : event, actor_of_lane(lane), [&] {
          return "adding " + value_text(m.elem, at(value) + lane * elem_bytes(m.elem)) + " makes " +
                 value_text(m.elem, place);
        });
  provenance.set(m, offset, provenance.carried(span(), event, m, offset, actor_of_lane(lane)));
}

}  // namespace tilelab::sim
