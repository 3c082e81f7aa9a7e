// SPDX-License-Identifier: Apache-2.0
// Provenance of NaN and infinity in the lanes of a tile-level program: the event of each non-finite
// register lane.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/sim/tile/provenance.h"
#include "core/support/text.h"

namespace tilelab::sim {

/// The operation of a lane kernel, found by its address.
struct Computation {
  std::optional<LaneOp> op;  // otherwise a cast
  Elem to = Elem::f32, from = Elem::f32;
};

namespace {

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
std::string computation_text(const Computation& c, const std::vector<std::string>& operands) {
  if (!c.op) return operands[0] + " as " + tilelang_name(c.to);
  static const std::unordered_map<LaneOp, const char*> signs{
      {LaneOp::add, " + "}, {LaneOp::sub, " - "}, {LaneOp::mul, " * "}, {LaneOp::div, " / "}};
  if (auto sign = signs.find(*c.op); sign != signs.end()) return join(operands, sign->second);
  return std::string(lane_op_name(*c.op)) + "(" + join(operands, ", ") + ")";
}

}  // namespace

std::vector<int32_t>& NaNProvenance::events_of(TileRunner& runner, Reg reg) {
  std::vector<int32_t>& lanes = lanes_[&runner].events[reg];
  lanes.resize(size_t(runner.lane_count()), none);
  return lanes;
}

int32_t NaNProvenance::event_of(TileRunner& runner, Reg reg, int64_t lane) {
  const auto& events = lanes_[&runner].events;
  const auto it = events.find(reg);
  return it == events.end() || size_t(lane) >= it->second.size() ? none : it->second[size_t(lane)];
}

void NaNProvenance::begin_block() {
  own_.clear();
  lanes_.clear();
}

/// Passes the events of the enclosing program's values to the iterations.
void NaNProvenance::begin_parallel(TileRunner& lanes, TileRunner& outer, const CallSite& site) {
  for (const TileParallel::Capture& c : lanes.parallel()->captures) {
    const Reg from = site.operands[size_t(c.operand)].regs[0];
    const int32_t event = event_of(outer, from, outer.scalar_lane());
    lanes_[&lanes].events.erase(c.reg);
    if (event != none) events_of(lanes, c.reg).assign(size_t(lanes.lane_count()), event);
  }
}

/// Variables that the iterations assigned have the values of the last iteration.
void NaNProvenance::end_parallel(TileRunner& lanes, TileRunner& outer) {
  for (const TileParallel::Carried& c : lanes.parallel()->carried) {
    const Reg from = lanes.program().arrays[size_t(c.inner)].first;
    const Reg to = outer.program().arrays[size_t(c.outer)].first;
    const int32_t event = event_of(lanes, from, lanes.chunk() - 1);
    events_of(outer, to).assign(size_t(outer.lane_count()), event);
  }
}

void NaNProvenance::computing(TileRunner& runner, const Instr& i) {
  const size_t lanes = size_t(runner.lane_count());
  const Reg regs[3] = {i.a, i.b, i.c};
  Before& b = before_;
  b.what = computation_of(i.fn), b.traced = !events_.empty();
  const bool element = i.op == Op::load_reg || i.op == Op::store_reg;
  b.operands = element || (i.op == Op::masked && !i.fn) ? 0
               : selects(i)                             ? 3
               : !b.what || !is_float(b.what->to)       ? 0
               : b.what->op                             ? lane_op_operands(*b.what->op)
                                                        : 1;
  if (brief_ && !b.traced && (element || selects(i))) return;
  if (element) b.index.assign(lanes, -1);
  for (size_t l = 0; l < lanes && element; ++l)
    if (runner.mask()[l]) b.index[l] = runner.integer(i.a, i.elem, int(l));
  for (size_t k = 0; k < size_t(b.operands); ++k) {
    const size_t bytes = selects(i) ? (k == 0 ? 1 : 0) : size_t(elem_bytes(b.what->from));
    b.values[k].assign(runner.at(regs[k]), runner.at(regs[k]) + lanes * bytes);
    if (!b.traced) continue;
    b.events[k].resize(lanes);
    for (size_t l = 0; l < lanes; ++l) b.events[k][l] = event_of(runner, regs[k], int64_t(l));
  }
}

void NaNProvenance::computed(TileRunner& runner, const Instr& i) {
  const bool number = before_.operands > 0 && !selects(i);
  if (brief_ && events_.empty() &&
      !(number && any_not_finite(before_.what->to, runner.at(i.dst), size_t(runner.lane_count()))))
    return;
  auto& events = lanes_[&runner].events;
  const auto each_active = [&](auto f) {
    for (int l = 0; l < runner.lane_count(); ++l)
      if (runner.mask()[l]) f(l);
  };
  if (i.op == Op::load_reg || i.op == Op::store_reg) {  // of a local array, an index per lane
    const RegArray& array = runner.program().arrays[i.extra];
    each_active([&](int l) {
      const int64_t index = before_.index[size_t(l)];
      if (index < 0 || index >= array.count) return;
      const Reg element = array.first + Reg(index) * array.stride;
      if (i.op == Op::load_reg)
        events_of(runner, i.dst)[size_t(l)] = event_of(runner, element, l);
      else
        events_of(runner, element)[size_t(l)] = event_of(runner, i.b, l);
    });
  } else if (i.op == Op::masked && !i.fn) {
    if (!events.count(i.a) && !events.count(i.dst)) return;
    each_active([&](int l) { events_of(runner, i.dst)[size_t(l)] = event_of(runner, i.a, l); });
  } else if (selects(i)) {
    each_active([&](int l) {
      const size_t from = before_.values[0][size_t(l)] ? 1 : 2;
      const int32_t event = before_.traced ? before_.events[from][size_t(l)] : none;
      events_of(runner, i.dst)[size_t(l)] = event;
    });
  } else if (before_.operands > 0) {
    computed_number(runner, i);
  } else {
    events.erase(i.dst);
  }
}

/// Whether an operation on finite numbers that gives infinity has exceeded the type: infinities of
/// exp or a division may be intended.
static bool may_overflow(const Computation& c) {
  return !c.op || *c.op == LaneOp::add || *c.op == LaneOp::sub || *c.op == LaneOp::mul ||
         *c.op == LaneOp::fma;
}

void NaNProvenance::computed_number(TileRunner& runner, const Instr& i) {
  const Computation& what = *before_.what;
  const int64_t in_bytes = elem_bytes(what.from), out_bytes = elem_bytes(what.to);
  const size_t operands = size_t(before_.operands);
  auto& registers = lanes_[&runner].events;
  if (i.op == Op::lanes) registers.erase(i.dst);
  for (int l = 0; l < runner.lane_count(); ++l) {
    if (!runner.mask()[l]) continue;
    const uint8_t* result = runner.at(i.dst) + l * out_bytes;
    const NumberKind kind = number_kind(what.to, result);
    int32_t event = none, parent = none;
    bool same = kind == NumberKind::finite, finite = true;
    const auto value = [&](size_t k) { return before_.values[k].data() + l * in_bytes; };
    for (size_t k = 0; k < operands && !same; ++k) {
      const NumberKind had = number_kind(what.from, value(k));
      const int32_t of = before_.traced ? before_.events[k][size_t(l)] : none;
      if (had == kind) event = of, same = true;
      if (had != NumberKind::finite && parent == none) parent = of;
      finite &= had == NumberKind::finite;
    }
    const auto text = [&] {
      std::vector<std::string> values;
      for (size_t k = 0; k < operands; ++k) values.push_back(value_text(what.from, value(k)));
      return computation_text(what, values) + " is " + value_text(what.to, result);
    };
    const auto actor = [&] { return runner.actor_of_lane(l); };
    if (!same && finite && may_overflow(what)) overflows(runner.span(), what.to, actor, text);
    if (!same)
      event = originate(runner.span(), kind, parent, actor,
                        [&] { return text() + loads_text(runner, l); });
    if (event != none || registers.count(i.dst)) events_of(runner, i.dst)[size_t(l)] = event;
  }
}

/// "; a[3, 7] = 512.0, top[3] = 0.0": the values that the line has read in the lane.
std::string NaNProvenance::loads_text(TileRunner& runner, int lane) {
  std::vector<std::string> out;
  for (const auto& [access, load] : lanes_[&runner].loaded) {
    const Span& span = runner.span();
    if (load.span.line != span.line || load.span.file != span.file) continue;
    if (load.offsets[size_t(lane)] < 0) continue;
    const TileMemory& m = *load.memory;
    const std::string text = element(m, load.offsets[size_t(lane)]) + " = " +
                             value_text(m.elem, load.values.data() + lane * elem_bytes(m.elem));
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  }
  return out.empty() ? "" : "; " + join(out, ", ");
}

void NaNProvenance::accessed(const LaneAccess& a) {
  if (a.kind != TouchKind::read) return;
  const Reg result = a.site.results[0];
  Lanes& lanes = lanes_[&a.runner];
  lanes.events.erase(result);
  if (brief_ && events_.empty()) return;
  Loaded* load = brief_ ? nullptr : &lanes.loaded[a.id];
  if (load)
    *load = {a.runner.span(),
             &a.memory,
             std::vector<int64_t>(size_t(a.runner.lane_count()), -1),
             {a.value, a.value + a.lanes * a.bytes()}};
  for (int64_t l = 0; l < a.lanes; ++l) {
    if (!a.touches(l)) continue;
    if (load) load->offsets[size_t(l)] = a.offsets[l];
    if (number_kind(a.memory.elem, a.value + l * a.bytes()) == NumberKind::finite) continue;
    const int32_t event = at(a.memory, a.offsets[l]);
    if (event != none) events_of(a.runner, result)[size_t(l)] = event;
  }
}

void NaNProvenance::stored(const LaneAccess& a) {
  if (brief_ && events_.empty()) return;
  for (int64_t l = 0; l < a.lanes && !a.atomic; ++l)
    if (a.touches(l)) store_element(a, l, false);
}

void NaNProvenance::updated(const LaneAccess& a, int lane) {
  if (a.value && !(brief_ && events_.empty()))
    store_element(a, lane, operation_of(*a.atomic) != LaneOp::replace);
}

/// Lane `lane` has stored to an element, or combined it with its value.
void NaNProvenance::store_element(const LaneAccess& a, int64_t lane, bool combines) {
  const TileMemory& m = a.memory;
  const int64_t offset = a.offsets[lane];
  const uint8_t* place = a.element(lane);
  const NumberKind kind = number_kind(m.elem, place);
  if (kind == NumberKind::finite) return set(m, offset, none);
  const int32_t before = combines ? at(m, offset) : none,
                brought = event_of(a.runner, a.site.operands.back().regs[0], lane);
  int32_t event = before != none && this->kind(before) == kind ? before : brought;
  const auto actor = [&] { return a.runner.actor_of_lane(lane); };
  if (combines && (event == none || this->kind(event) != kind))
    event = originate(a.runner.span(), kind, event == none ? before : event, actor, [&] {
      return "adding " + value_text(m.elem, a.value + lane * a.bytes()) + " makes " +
             value_text(m.elem, place);
    });
  set(m, offset, carried(a.runner.span(), event, m, offset, actor));
}

}  // namespace tilelab::sim
