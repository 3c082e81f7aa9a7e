// SPDX-License-Identifier: Apache-2.0
// Instruments traced programs: a call before each statement with an effect, with the names in
// scope, and one after each binding.
#include "core/sim/program/announce.h"

#include <algorithm>
#include <cstring>

#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/text/print.h"
#include "core/sim/program/compile.h"

namespace tilelab::sim {

StatementTexts statement_texts(const Func& func) {
  StatementTexts texts;
  for (PrintedLine& line : print_lines(func))
    if (line.node) texts.try_emplace(line.node, std::move(line.text));
  return texts;
}

namespace {

/// Whether a Let's value has an effect, so that it is a traced step.
bool acts(const Let& let) {
  const Call* call = as<Call>(let.value);
  return call && !info(call->intrinsic).pure();
}

/// Statements that have an effect themselves; structure and declarations have none.
bool is_step(const Node& stmt) {
  switch (stmt.kind) {
    case Kind::Seq:
    case Kind::If:
    case Kind::For:
    case Kind::While:
    case Kind::TileLoop:
    case Kind::Role:
    case Kind::Ring:
    case Kind::Buffer:
    case Kind::View:
    case Kind::Break: return false;
    case Kind::Let: return acts(*as<Let>(&stmt));
    default: return true;
  }
}

std::vector<TraceValue> values_of(LaneRunner& runner, const CallSite& site) {
  const int64_t lanes = runner.program().lanes;
  std::vector<TraceValue> out;
  for (size_t i = 0; i < site.names.size(); ++i) {
    const Operand& o = site.operands[i];
    const int64_t n = elem_bytes(o.elem);
    const uint8_t* all = runner.at(o.regs[0]);
    const bool differs = std::memcmp(all, all + n, size_t((lanes - 1) * n)) != 0;
    TraceValue v{site.names[i], o.elem, {}};
    for (int64_t l = 0; l < (differs ? lanes : 1); ++l) {
      uint64_t bits = 0;
      std::memcpy(&bits, all + l * n, size_t(n));
      v.bits.push_back(bits);
    }
    out.push_back(std::move(v));
  }
  return out;
}

}  // namespace

std::vector<TraceValue> loops_around(LaneRunner& runner) {
  std::vector<TraceValue> out;
  for (const LoopScope& loop : runner.program().loops) {
    if (runner.position() < loop.first || runner.position() >= loop.end) continue;
    CallSite site;
    site.names = {loop.name};
    site.operands.emplace_back().elem = loop.elem;
    TraceValue v{loop.name, loop.elem, {loop.value}};
    if (loop.array >= 0) {
      site.operands[0].regs = {runner.program().arrays[size_t(loop.array)].first};
      v = values_of(runner, site)[0];
    }
    out.push_back(std::move(v));
  }
  return out;
}

bool announce(LaneRunner& runner, const CallSite& site, Tracer& tracer, int64_t agent) {
  if (site.what == call_bound) {
    for (TraceValue& v : values_of(runner, site)) tracer.bound(agent, std::move(v));
    return true;
  }
  if (tracer.ends_here()) tracer.agent(agent).names = values_of(runner, site);
  bool stops = false;
  TraceEvent* event = tracer.begin(agent, runner.span(), site.text, &stops);
  if (stops) return false;
  if (!event && !tracer.trace().stop) return true;
  std::vector<TraceValue>& names = tracer.agent(agent).names;
  names = values_of(runner, site);
  if (!event) return true;
  event->names = names;
  const LaneMask active = runner.active_lanes();
  event->lanes = {active.word[0], active.word[1]};
  return true;
}

void BodyCompiler::emit_names(CallSite site, const std::vector<Symbol>& names) {
  for (Symbol name : names) {
    const Value* known = find(name);
    if (!known || known->width() != 1) continue;
    site.operands.push_back(
        {.form = Operand::Form::value, .elem = known->elem, .regs = {at(*known)}});
    site.names.push_back(name);
  }
  Instr call;
  call.op = Op::call;
  call.for_watchers = true;
  call.extra = uint32_t(b.add_call(std::move(site)));
  b.emit(call);
}

void BodyCompiler::announce(const Node& stmt) {
  if (!is_step(stmt)) return;
  CallSite site;
  site.what = call_statement;
  auto text = texts_->find(&stmt);
  if (text != texts_->end()) site.text = text->second;
  std::vector<Symbol> names;
  for (const auto& [name, value] : names_)
    if (!name.str().empty() && name.str()[0] != '%') names.push_back(name);
  std::sort(names.begin(), names.end(), [](Symbol a, Symbol b) { return a.str() < b.str(); });
  emit_names(std::move(site), names);
}

/// The value that the statement binds or assigns.
void BodyCompiler::announce_bound(const Node& stmt) {
  Symbol name;
  if (const Let* let = as<Let>(&stmt); let && acts(*let)) name = let->name;
  if (const Var* var = as<Var>(&stmt)) name = var->name;
  if (const Assign* assign = as<Assign>(&stmt)) name = assign->name;
  if (!name) return;
  CallSite site;
  site.what = call_bound;
  emit_names(std::move(site), {name});
}

}  // namespace tilelab::sim
