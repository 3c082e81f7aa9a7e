// SPDX-License-Identifier: Apache-2.0
// Tile level: helpers to compile any tile operation, and persistent loops.
#include "core/analysis/divergence.h"
#include "core/ir/build.h"
#include "core/ir/tile_loop.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {

std::vector<int64_t> TileBox::extents() const {
  std::vector<int64_t> v;
  for (const Dim& d : dims)
    if (d.extent != 1) v.push_back(d.extent);
  return v;
}

std::vector<size_t> TileBox::slices() const {
  std::vector<size_t> v;
  for (size_t d = 0; d < dims.size(); ++d)
    if (!dims[d].point) v.push_back(d);
  return v;
}

Step BoxToBox::run(TileBlock& block, TileRunner& runner, const CallSite& site) const {
  const ResolvedBox target = resolve(block, runner, site, to);
  const ResolvedBox source = resolve(block, runner, site, from);
  if (!inside(block, runner.span(), target) || !inside(block, runner.span(), source))
    return Step::next;
  const auto of = [&](const Position& at) { return part(target, source, at); };
  const BoxSource sources[] = {{&source, of}};
  block.perform({rule, name(), runner.span(), target, overwrites, sources, op},
                [&] { apply(target, source); });
  return Step::next;
}

TileBox TileCompiler::box(const Expr& e, CallSite& site) {
  const Region& region = to<Region>(e);
  TileBox box;
  box.memory = memory_of(region.buffer, region);
  const TileMemory& m = memory(box);
  each_lane_ |= m.per_lane;
  box.address = address(m, site);
  if (region.dims.size() != m.shape.size())
    cannot(region, region.buffer.str() + ": one index per dimension expected");
  for (const RegionDim& d : region.dims) {
    TileBox::Dim dim;
    dim.extent = d.extent;
    dim.point = d.point;
    Value v = d.lo ? expr(d.lo) : integer(0);
    if (auto known = v.integer())
      dim.base = *known;
    else
      dim.operand = operand(site, v);
    box.dims.push_back(dim);
  }
  for (const Effect& effect : effects_) {
    if (effect.region != &region) continue;
    note(box.memory, effect);
    box.atomic |= effect.atomic.has_value();
    box.read |= !effect.write;
    box.written |= effect.write;
    box.late |= effect.late();
  }
  return box;
}

/// Records an effect in the image.
void TileCompiler::note(TileAccess& access, const Effect& effect) {
  access.writes |= effect.write;
  note(access.memory, effect);
}

void TileCompiler::note(int32_t memory, const Effect& effect) {
  TileMemory& root = image_.memories[size_t(image_.memories[size_t(memory)].root)];
  root.written |= effect.write;
  image_.global_atomics |= effect.atomic && root.global >= 0;
}

Value TileCompiler::result(CallSite& site) {
  site.results = {b.temp(4)};
  site.elem = Elem::i32;
  return reg(Elem::i32, site.results[0]);
}

bool TileCompiler::same_in_threads(const Node& stmt) const {
  return lanes_ > 1 && !parent_ && !DivergenceAnalysis(launch_.kernel)(stmt);
}

bool TileCompiler::private_to_lanes(const Region& region) const {
  return image_.memories[size_t(memory_of(region.buffer, region))].per_lane;
}

void TileCompiler::store_each(const Region& region, const Value& v, const Node& node) {
  std::vector<int64_t> at(region.dims.size(), 0);
  for (int64_t left = elements(region); left-- > 0;) {
    CallSite one;
    one.what = call_store;
    std::vector<Expr> index;
    for (size_t d = 0; d < at.size(); ++d)
      index.push_back(add(region.dims[d].lo, int_const(at[d], region.dims[d].lo->type.dtype)));
    one.numbers = {access(region.buffer, index, one, node)};
    TileAccess& made = image_.accesses.back();
    for (const Effect& effect : effects_)
      if (effect.region == &region) note(made, effect);
    operand(one, cast(image_.memories[size_t(made.memory)].elem, v));
    emit_call(std::move(one));
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < region.dims[d].extent) break;
      at[d] = 0;
    }
  }
}

void TileCompiler::copy_each(const Node& copy, const Region& to, const Region& from) {
  std::vector<Symbol> names;
  std::vector<int64_t> extents;
  std::vector<Expr> source;
  std::vector<RegionDim> target;
  for (const RegionDim& d : to.dims) {
    const Expr lo = d.lo ? d.lo : int_const(0);
    target.push_back({lo, 1, true});
    if (d.extent == 1) continue;
    names.push_back("%copied" + std::to_string(names.size()));
    extents.push_back(d.extent);
    const Expr place = name_ref(names.back(), {DType::i32});
    target.back().lo = add(lo, tilelab::cast(lo->type.dtype, place));
  }
  size_t next = 0;
  for (const RegionDim& d : from.dims) {
    const Expr lo = d.lo ? d.lo : int_const(0);
    source.push_back(lo);
    if (d.extent == 1) continue;
    if (next == names.size() || extents[next] != d.extent) cannot(copy, "a copy of other extents");
    const Expr place = name_ref(names[next++], {DType::i32});
    source.back() = add(lo, tilelab::cast(lo->type.dtype, place));
  }
  if (next != names.size()) cannot(copy, "a copy of other extents");
  Stmt loop = tilelab::at(
      copy.span,
      tilelab::store(to.buffer, target, tilelab::load(from.buffer, from.type.dtype, source)));
  for (size_t d = names.size(); d-- > 0;)
    loop = tilelab::at(copy.span, for_loop(names[d], int_const(0), int_const(extents[d]), loop));
  written_out_.push_back(loop);
  const StatementTexts* texts = std::exchange(texts_, nullptr);  // the copy itself was announced
  stmt(loop);
  texts_ = texts;
}

void TileCompiler::emit(std::unique_ptr<TileOp> op, CallSite site) {
  site.what = call_op;
  site.numbers = {int64_t(image_.ops.size())};
  const bool each = std::exchange(each_lane_, false);
  if (each && op->threads == TileOp::Threads::together) op->threads = TileOp::Threads::each;
  image_.ops.push_back(std::move(op));
  emit_call(std::move(site));
}

/// Compiles a persistent loop as the equivalent while loop; its extents and the grid's are known.
void TileCompiler::tile_loop(const TileLoop& node) {
  Kernel kernel(launch_.kernel);
  for (size_t i = 0; i < kernel.grid.size(); ++i) kernel.grid[i] = int_const(launch_.grid[i]);
  TileLoop known(node);
  for (Expr& extent : known.domain)
    extent = int_const(numbers({extent}, node)[0], extent->type.dtype);
  const std::string place = std::to_string(b.position());
  if (node.source == TileSource::mailbox) {
    const Buffer* mail = mailbox_of(node, kernel);
    if (!mail) cannot(node, "a mailbox without a buffer of tickets");
    if (lanes_ > 1) cannot(node, "a mailbox in a role whose threads differ");
    return stmt(
        mailbox_loop(known, kernel, mail->name,
                     {"%ticket" + place, "%slot" + place, "%drawn" + place, "%last" + place}));
  }
  const Symbol name = "%ticket" + place;
  auto plan = tickets(known, kernel, name);
  if (!plan) cannot(node, "a persistent loop over nothing");
  const Expr ticket = name_ref(name, plan->first->type);
  std::vector<Stmt> body = plan->coordinates;
  body.push_back(plan->inside ? if_then(plan->inside, node.body) : node.body);
  body.push_back(tilelab::assign(name, tilelab::add(ticket, plan->stride)));
  stmt(var(name, ticket->type.dtype, plan->first));
  stmt(while_loop(lt(ticket, plan->count), tilelab::seq(std::move(body))));
}

}  // namespace tilelab::sim
