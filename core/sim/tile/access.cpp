// SPDX-License-Identifier: Apache-2.0
// Tile level: element accesses. An index that is affine in the variables of a T.Parallel is
// compiled to coefficients; a chunk's accesses are then strided runs, copied without computing
// addresses.
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/intrinsics/copied_elements.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/ir/intrinsics/memory_order.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {

/// Whether the value may differ between iterations; reads and effects count as different.
bool TileCompiler::varies(const Expr& e) const {
  return any_of(
      *e, [](const Load&) { return true; }, [](const Region&) { return true; },
      [](const Call& c) { return !info(c.intrinsic).pure() || c.intrinsic == Intrinsic::guard; },
      [&](const Name& n) {
        if (std::find(variables_.begin(), variables_.end(), n.id) != variables_.end()) return true;
        if (auto let = lets_.find(n.id); let != lets_.end())
          return !let->second || varies(let->second);
        auto inside = inside_.find(n.id);
        return inside != inside_.end() && inside->second;
      });
}

/// Whether the enclosing program can compute it once: it depends on nothing inside the T.Parallel
/// and cannot report an error that no iteration would.
bool TileCompiler::hoistable(const Expr& e) const {
  return !contains<Select, Call>(*e) && !mentions_any(*e, inside_) && !any_of(*e, [](const Bin& n) {
    return n.b->kind != Kind::Const && n.op != BinOp::add && n.op != BinOp::sub &&
           n.op != BinOp::mul;
  });
}

std::optional<AffineIndex> TileCompiler::affine(const Expr& e) const {
  const Linear sum = linear_of(e, [&](Symbol name) -> Expr {
    if (std::find(variables_.begin(), variables_.end(), name) != variables_.end()) return nullptr;
    if (const Value* known = find(name); known && known->integer())
      return int_const(*known->integer(), known->elem);
    auto let = lets_.find(name);
    return let == lets_.end() ? nullptr : let->second;
  });
  AffineIndex index = affine_index(sum, variables_);
  auto differs = [&](const Linear::Term& term) { return varies(term.atom); };
  if (!index.affine() || std::any_of(index.rest.terms.begin(), index.rest.terms.end(), differs))
    return std::nullopt;
  return index;
}

/// The sum of the uniform terms, hoisted out of the T.Parallel if possible.
Value TileCompiler::uniform_part(const AffineIndex& index, Elem elem) {
  bool outside = parent_ != nullptr;
  for (auto& [e, factor] : index.rest.terms) outside &= hoistable(e);
  TileCompiler& where = outside ? *parent_ : *this;
  Value sum = integer(0, elem);
  for (auto& [e, factor] : index.rest.terms) {
    Value term = where.cast(elem, where.expr(e));
    sum = where.binary(BinOp::add, sum, where.binary(BinOp::mul, term, integer(factor, elem)));
  }
  if (!outside) return sum;
  return capture(Symbol("%" + std::to_string(captured_.size())), sum);
}

TileIndex TileCompiler::index(const Expr& e, CallSite& site) {
  TileIndex i;
  if (parent_) {
    if (auto parts = affine(e)) {
      i.base = parts->rest.constant;
      i.factor = parts->factor;
      if (parts->rest.is_constant()) return i;
      Value u = uniform_part(*parts, e->type.dtype);
      if (auto known = u.integer())
        i.base += *known;
      else
        i.operand = operand(site, u);
      i.fixed = std::all_of(parts->rest.terms.begin(), parts->rest.terms.end(),
                            [&](auto& term) { return hoistable(term.atom); });
      return i;
    }
  }
  Value v = expr(e);
  if (auto known = v.integer()) {
    i.base = *known;
    return i;
  }
  i.operand = operand(site, v);
  i.per_lane = lanes_ > 1;
  return i;
}

void TileCompiler::plan_runs(TileAccess& access) const {
  const TileMemory& m = image_.memories[size_t(access.memory)];
  access.step.assign(variables_.size(), 0);
  for (size_t d = 0; d < access.index.size(); ++d)
    for (size_t v = 0; v < access.index[d].factor.size(); ++v)
      access.step[v] += access.index[d].factor[v] * m.strides[d];
  for (size_t v = variables_.size(); v-- > size_t(split_);) {
    int64_t extent = int(v) == split_ ? -1 : extents_[v], step = access.step[v];
    if (extent == 1) continue;
    auto& runs = access.runs;
    if (!runs.empty() && step == runs.front().second * runs.front().first)
      runs.front().first *= extent;
    else
      runs.insert(runs.begin(), {extent, step});
  }
  for (auto& run : access.runs) run.first = run.first < 0 ? -1 : run.first;
}

/// Whether the value depends on elements of memory.
static bool reads_memory(const Expr& e, const Definitions& definitions, std::set<Symbol>& seen) {
  bool found = false;
  walk(*e, [&](const Node& n) {
    found |= n.kind == Kind::Load || n.kind == Kind::Region;
    const Name* name = as<Name>(&n);
    if (!name || found || !seen.insert(name->id).second) return !found;
    if (auto it = definitions.find(name->id); it != definitions.end())
      for (const Expr& value : it->second) found |= reads_memory(value, definitions, seen);
    return !found;
  });
  return found;
}

int32_t TileCompiler::access(Symbol buffer, const std::vector<Expr>& index, CallSite& site,
                             const Node& node) {
  TileAccess a;
  a.memory = memory_of(buffer, node);
  const TileMemory& m = image_.memories[size_t(a.memory)];
  if (index.size() != m.shape.size())
    cannot(node, buffer.str() + " has " + std::to_string(m.shape.size()) + " dimensions, not " +
                     std::to_string(index.size()));
  if (m.per_lane && parent_)
    if (auto outer = parent_->memories_.find(buffer); outer != parent_->memories_.end())
      a.of_thread = outer->second == a.memory;
  const bool private_memory = m.per_lane && !a.of_thread;
  a.address = address(m, site);
  for (const Expr& e : index) {
    a.index.push_back(this->index(e, site));
    a.per_lane |= a.index.back().per_lane;
  }
  a.per_lane |= private_memory;
  if (parent_ && !a.per_lane) plan_runs(a);
  a.span = b.span();
  if (definitions_) {
    std::set<Symbol> seen;
    a.by_data = std::any_of(index.begin(), index.end(),
                            [&](const Expr& e) { return reads_memory(e, *definitions_, seen); });
  }
  if (definitions_ && m.global >= 0) {
    std::set<Symbol> seen;
    for (const Expr& cond : conditions_)
      if (cond) loads_of(cond, seen, a.conditions);
  }
  image_.accesses.push_back(std::move(a));
  return int32_t(image_.accesses.size()) - 1;
}

/// Whether the index is in bounds in every iteration; then inactive lanes may read too.
bool TileCompiler::proven_inside(const Load& node) const {
  if (!parent_) return false;
  auto it = memories_.find(node.buffer);
  if (it == memories_.end()) return false;
  const TileMemory& m = image_.memories[size_t(it->second)];
  for (size_t d = 0; d < node.index.size(); ++d) {
    auto parts = affine(node.index[d]);
    if (!parts || !parts->rest.is_constant()) return false;
    int64_t lo = parts->rest.constant, hi = lo;
    for (size_t v = 0; v < parts->factor.size(); ++v) {
      const int64_t factor = parts->factor[v];
      if (factor == 0) continue;
      if (extents_[v] < 0) return false;
      (factor < 0 ? lo : hi) += factor * (extents_[v] - 1);
    }
    if (lo < 0 || d >= m.shape.size() || hi >= m.shape[d]) return false;
  }
  return true;
}

bool TileCompiler::safe_read(const Load& node) { return !image_.watched && proven_inside(node); }

Value TileCompiler::load(const Load& node) {
  CallSite site;
  site.what = call_load;
  site.numbers = {access(node.buffer, node.index, site, node)};
  Elem elem = image_.memories[size_t(image_.accesses.back().memory)].elem;
  site.elem = elem;
  if (definitions_) access_of_[&node] = int32_t(site.numbers[0]);
  Reg result = b.temp(elem_bytes(elem));
  site.results = {result};
  emit_call(std::move(site));
  return reg(elem, result);
}

/// The index of a load's access: in this program or, for a log, in an enclosing one.
std::optional<int32_t> TileCompiler::access_known(const Node& node) const {
  auto known = access_of_.find(&node);
  if (known != access_of_.end()) return known->second;
  return image_.logged && parent_ ? parent_->access_known(node) : std::nullopt;
}

/// Adds the guarded loads of this program on which the value of `e` depends.
void TileCompiler::loads_of(const Expr& e, std::set<Symbol>& seen,
                            std::vector<int32_t>& loads) const {
  walk(*e, [&](const Node& n) {
    if (auto load = access_known(n)) loads.push_back(*load);
    const Name* name = as<Name>(&n);
    if (name && seen.insert(name->id).second)
      if (auto it = definitions_->find(name->id); it != definitions_->end())
        for (const Expr& value : it->second) loads_of(value, seen, loads);
    return true;
  });
}

/// Sets the uses of the latest access, a store or an atomic.
void TileCompiler::uses_of(const std::vector<Expr>& index, const Expr& value) {
  TileAccess& a = image_.accesses.back();
  if (!definitions_) return;
  std::set<Symbol> seen;
  for (const Expr& e : index) loads_of(e, seen, a.uses);
  if (value) loads_of(value, seen, a.uses);
}

Value TileCompiler::region(const Region& node) {
  if (elements(node) != 1) cannot(node, "a slice as a value at tile level");
  const std::vector<Expr> index = lows(node.dims);
  Load one;
  one.span = node.span;
  one.type = {node.type.dtype, 1};
  one.buffer = node.buffer;
  one.index = std::move(index);
  Value value = load(one);
  if (auto known = access_of_.find(&one); known != access_of_.end()) {
    access_of_[&node] = known->second;
    access_of_.erase(&one);
  }
  return value;
}

void TileCompiler::store(const Store& node) {
  CallSite site;
  site.what = call_store;
  std::vector<Expr> index;
  for (const RegionDim& d : node.dims) {
    if (!d.point && d.extent != 1) cannot(node, "a store of a slice at tile level");
    index.push_back(d.lo);
  }
  Value v = expr(node.value);
  site.numbers = {access(node.buffer, index, site, node)};
  for (const Effect& effect : effects(node))
    if (effect.buffer == node.buffer) note(image_.accesses.back(), effect);
  uses_of(index, node.value);
  v = cast(image_.memories[size_t(image_.accesses.back().memory)].elem, v);
  operand(site, v);
  emit_call(std::move(site));
}

// ---- calls with side effects

namespace {

/// Whether sequential execution already gives the ordering of a call: an agent runs its statements
/// in order for all its threads. Barriers with a phase exist only at thread level.
bool already_ordered(Intrinsic i) { return info(i).orders() && info(i).needs != Feature::barriers; }

}  // namespace

Value TileCompiler::atomic(const Call& node, bool result) {
  const Region& ref = to<Region>(node.args.at(0));
  CallSite site;
  site.what = call_atomic;
  const std::vector<Expr> index = lows(ref.dims);
  std::vector<Value> values;
  for (size_t i = 1; i < node.args.size(); ++i) values.push_back(expr(node.args[i]));
  const MemoryOrder order = memory_order(node);
  site.numbers = {access(ref.buffer, index, site, node), int64_t(node.intrinsic),
                  int64_t{order.acquires}, int64_t{order.releases}};
  const TileMemory& m = image_.memories[size_t(image_.accesses.back().memory)];
  Elem elem = m.elem;
  for (const Effect& effect : effects(node))
    if (effect.region == &ref) note(image_.accesses.back(), effect);
  TileAccess& made = image_.accesses.back();
  if (made.writes) uses_of(index, nullptr), made.scatters = !made.uses.empty();
  for (size_t i = 1; made.writes && i < node.args.size(); ++i) uses_of({}, node.args[i]);
  for (const Value& v : values) operand(site, cast(elem, v));
  if (result) site.results = {b.temp(elem_bytes(elem))};
  Value out = result ? reg(elem, site.results[0]) : Value{};
  emit_call(std::move(site));
  return out;
}

Value TileCompiler::call(const Call& node, bool result) {
  if (info(node.intrinsic).step == tilelab::Step::atomic) return atomic(node, result);
  if (node.intrinsic == Intrinsic::cp_async) return stmt(copied_elements(node)), Value{};
  if (expands_to_shuffles(node.intrinsic)) return stmt(expanded_matrices(node)), Value{};
  if (node.intrinsic == Intrinsic::mma_wait) {
    CallSite site{.what = call_mma_wait, .numbers = {number(node.args.at(0), node)}};
    if (!parent_) emit_call(std::move(site));
    return {};
  }
  const bool by_barrier = info(node.intrinsic).async == Async::tx && info(node.intrinsic).orders();
  if (by_barrier || is_named_barrier(node.intrinsic)) {
    if (parent_) cannot(node, std::string(tilelab::name(node.intrinsic)) + " inside T.Parallel");
    return compile_barrier(node, *this), Value{};
  }
  if (is_cluster_barrier(node.intrinsic)) {
    if (parent_) cannot(node, std::string(tilelab::name(node.intrinsic)) + " inside T.Parallel");
    return compile_cluster_barrier(node, *this), Value{};
  }
  const bool lanes_sync = node.intrinsic == Intrinsic::warp_sync && !parent_;
  if (already_ordered(node.intrinsic) && !lanes_sync) return {};
  if (node.intrinsic == Intrinsic::uniform || node.intrinsic == Intrinsic::guard)
    return expr(node.args.at(0));
  if (node.intrinsic == Intrinsic::leader) {
    if (lanes_ == 1) return constant(Elem::bool_, 1);
    const Attr* scope = find_attr(node.attrs, "scope");
    std::string what = scope ? scope->string : "block";
    int64_t every = what == "warp" ? image_.warp : what == "group" ? 4 * image_.warp : lanes_;
    Value lane = reg(Elem::i32, b.input("tid", Elem::i32));
    return binary(BinOp::eq, binary(BinOp::floormod, lane, integer(every)), integer(0));
  }
  if (is_shuffle(node.intrinsic) || lanes_sync) {
    if (parent_) cannot(node, std::string(tilelab::name(node.intrinsic)) + " inside T.Parallel");
    CallSite site{.what = call_shuffle, .numbers = {int64_t(node.intrinsic)}};
    for (const Expr& e : node.args) operand(site, expr(e));
    if (lanes_sync) return emit_call(std::move(site)), Value{};
    Elem elem = node.type.dtype;
    site.elem = elem;
    Reg r = b.temp(elem_bytes(elem));
    site.results = {r};
    emit_call(std::move(site));
    return reg(elem, r);
  }
  cannot(node, std::string(tilelab::name(node.intrinsic)) + " at tile level");
}

// ---- tensors at addresses

/// A tensor at an address, which accesses compute.
void TileCompiler::declare_tensor(const Buffer& buffer, TileMemory m) {
  if (!buffer.strides.empty()) m.strides = numbers(buffer.strides, buffer);
  m.address = buffer.address;
  m.global = int32_t(launch_.memories.size() + image_.memories.size());
  m.guarded = guards_accesses(launch_.func);
  if (const Const* c = buffer.safe ? as<Const>(buffer.safe) : nullptr)
    m.safe = c->bits, m.declared = true;
  image_.addressed = true;
  memories_[buffer.name] = int32_t(image_.memories.size());
  image_.memories.push_back(std::move(m));
}

/// The operand with the address of a tensor, which is one value for all iterations of a T.Parallel;
/// -1: the launch knows the memory.
int32_t TileCompiler::address(const TileMemory& memory, CallSite& site) {
  if (!memory.address) return -1;
  if (!parent_) return operand(site, expr(memory.address));
  const Value outside = parent_->expr(memory.address);
  return operand(site, capture(Symbol("%address of " + memory.name.str()), outside));
}

/// The memories that watchers compare. A tensor at an address may share bytes with any other
/// tensor: then all are one, of which bytes have addresses.
void choose_spaces(TileImage& image) {
  int granule = 16;
  for (TileMemory& m : image.memories) {
    m.space = image.addressed && m.global >= 0 ? -1 : m.root;
    if (m.space >= 0) continue;
    granule = std::min(granule, m.granule);
    image.tensors_written |= image.memories[size_t(m.root)].written;
  }
  for (TileMemory& m : image.memories)
    if (m.space < 0) m.granule = granule;
}

/// The bytes from a tensor's first element to its last.
static int64_t extent_bytes(const TileMemory& m) {
  if (m.elements == 0) return 0;
  int64_t last = 0;
  for (size_t d = 0; d < m.shape.size(); ++d) last += (m.shape[d] - 1) * m.strides[d];
  return (last + 1) * elem_bytes(m.elem);
}

void TileBlock::locate(int32_t memory, int64_t address, const Span& span) {
  uint8_t*& base = bases_[size_t(memory)];
  int64_t& last = addresses_[size_t(memory)];
  if (base && last == address) return;
  const TileMemory& m = image_.memories[size_t(memory)];
  const bool written = image_.memories[size_t(m.root)].written;
  AddressSpace::Tensor found = space_.tensor(address, extent_bytes(m), written);
  base = found.data, last = address;
  if (found.problem.empty()) return;
  Finding f = finding(FindingKind::address, span, &m, written ? "accesses" : "reads");
  f.detail = std::move(found.problem);
  report(std::move(f));
}

}  // namespace tilelab::sim
