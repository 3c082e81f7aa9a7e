// SPDX-License-Identifier: Apache-2.0
#include "core/passes/barrier_accesses.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/ir/compare.h"
#include "core/ir/linear.h"

namespace tilelab {

BarrierAccesses::BarrierAccesses(const Func& func, const Kernel& kernel)
    : buffers_(buffers_of(func)), varying_(kernel) {
  fixed_.insert(kernel.indices.begin(), kernel.indices.end());
  for (const Stmt& dim : func.dims) fixed_.insert(to<Dim>(dim).name);
  for (const Stmt& param : func.params) fixed_.insert(to<Param>(param).name);
  for (auto& [name, buffer] : buffers_)
    if (buffer->scope == Scope::shared && buffer->at >= 0) places_[name] = place(*buffer);
  walk(*kernel.body, [&](const Node& node) {
    if (const View* view = as<View>(&node)) views_[view->name] = view->buffer;
    if (const Let* let = as<Let>(&node)) lets_[let->name] = substitute(let->value, lets_);
    return group(node.kind) != Group::expr;
  });
}

ByteRange BarrierAccesses::place(const Buffer& buffer) {
  int64_t elements = buffer.layout.known() ? extent(buffer.layout, 'a') : 1;
  if (!buffer.layout.known())
    for (int64_t e : const_shape(buffer)) elements *= e;
  return {buffer.at, buffer.at + elements * bytes(buffer.dtype)};
}

Symbol BarrierAccesses::root(Symbol name) const {
  for (auto it = views_.find(name); it != views_.end(); it = views_.find(name)) name = it->second;
  return name;
}

bool BarrierAccesses::tracked(Symbol name) const {
  auto it = buffers_.find(root(name));
  return it != buffers_.end() &&
         (it->second->scope == Scope::shared || it->second->scope == Scope::global);
}

bool BarrierAccesses::overlap(Symbol a, Symbol b) const {
  if (root(a) == root(b)) return true;
  auto x = places_.find(root(a)), y = places_.find(root(b));
  if (x == places_.end() || y == places_.end()) return false;
  return x->second.lo < y->second.hi && y->second.lo < x->second.hi;
}

bool BarrierAccesses::same_thread(const MemoryAccess& a, const MemoryAccess& b) {
  if (a.buffer != b.buffer || !a.layout || !b.layout || !(*a.layout == *b.layout)) return false;
  if (!a.layout->rep.empty() || a.extents != b.extents) return false;
  for (size_t i = 0; i < a.lo.size(); ++i)
    if (!equal(a.lo[i], b.lo[i])) return false;
  return true;
}

bool BarrierAccesses::commute(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  auto talks = [](const std::string& op) { return op == "load" || op == "store"; };
  return a == b || talks(a) || talks(b);
}

bool BarrierAccesses::hazard(const MemoryAccess& before, const MemoryAccess& now) const {
  if (!before.write && !now.write) return false;
  if (commute(before.atomic, now.atomic)) return false;
  return overlap(before.buffer, now.buffer) && !same_thread(before, now);
}

void BarrierAccesses::touch(const Expr& expr, bool write, const Layout& layout,
                            Accesses& out) const {
  const Region* region = as<Region>(expr);
  if (!region || !tracked(region->buffer)) return;
  MemoryAccess access = unknown(region->buffer, write, expr->span);
  if (layout.known()) access.layout = layout;
  for (const RegionDim& d : region->dims)
    access.lo.push_back(d.lo), access.extents.push_back(d.extent);
  settle(access);
  out.push_back(std::move(access));
}

MemoryAccess BarrierAccesses::unknown(Symbol buffer, bool write, Span span, std::string atomic) {
  return {buffer, write, std::move(atomic), false, false, std::nullopt, {}, {}, span};
}

void BarrierAccesses::settle(MemoryAccess& access) const {
  if (!access.layout) return;
  std::vector<Symbol> moving;
  for (Expr& lo : access.lo) {
    lo = substitute(lo, lets_);
    walk(*lo, [&](const Node& node) {
      if (as<Load>(&node)) access.layout.reset();
      const Name* name = as<Name>(&node);
      if (!name || fixed_.count(name->id)) return true;
      if (std::find(loops_.begin(), loops_.end(), name->id) == loops_.end())
        access.layout.reset();
      else
        moving.push_back(name->id);
      return true;
    });
  }
  for (Symbol var : moving) {
    bool steps_over = false;
    for (size_t d = 0; d < access.lo.size(); ++d) {
      Linear lo = linear_of(access.lo[d]);
      bool alone = !lo.nested(var);
      for (Symbol other : moving) alone = alone && (other == var || !mentions(access.lo[d], other));
      steps_over |= alone && std::abs(lo.coefficient(var)) >= access.extents[d];
    }
    if (!steps_over) access.layout.reset();
  }
}

void BarrierAccesses::reads(const Expr& expr, const Parallel* loop, Accesses& out) const {
  walk(*expr, [&](const Node& node) {
    if (const Load* l = as<Load>(&node); l && tracked(l->buffer))
      out.push_back(element(l->buffer, l->index, false, loop, node.span));
    if (const Region* r = as<Region>(&node); r && tracked(r->buffer))
      out.push_back(unknown(r->buffer, false, node.span));
    return true;
  });
}

MemoryAccess BarrierAccesses::element(Symbol buffer, const std::vector<Expr>& index, bool write,
                                      const Parallel* loop, Span span) const {
  MemoryAccess access = unknown(buffer, write, span);
  access.element = !loop;
  if (!loop)
    for (const Expr& i : index) access.index.push_back(substitute(i, lets_));
  if (!loop || !loop->layout.known()) return access;
  std::vector<int> uses(loop->vars.size(), 0);
  std::vector<size_t> order;  // of the loop's variables in the box's dimensions
  for (const Expr& i : index) {
    Linear lo = linear_of(substitute(i, lets_));
    int64_t extent = 1;
    for (size_t v = 0; v < loop->vars.size(); ++v) {
      int64_t c = lo.coefficient(loop->vars[v]);
      if (lo.nested(loop->vars[v]) || (c != 0 && (c != 1 || extent != 1))) return access;
      if (c == 0) continue;
      ++uses[v];
      if (loop->layout.shape[v] != 1) order.push_back(v);
      extent = loop->layout.shape[v];
      lo.add(linear_of(name_ref(loop->vars[v])), -1);
    }
    access.lo.push_back(expr_of(lo, i->type.dtype));
    access.extents.push_back(extent);
  }
  for (int n : uses)
    if (n != 1) return access;
  access.layout = loop->layout;
  // The box's dimensions must come in the order of the loop's (S[j, i] is a transposed box).
  if (!std::is_sorted(order.begin(), order.end())) access.layout.reset();
  settle(access);
  return access;
}

void BarrierAccesses::collect(const Stmt& stmt, const Parallel* loop, Accesses& out) const {
  if (const Copy* c = as<Copy>(stmt)) {
    touch(c->src, false, c->layout, out);
    touch(c->dst, true, c->layout, out);
  } else if (const Fill* f = as<Fill>(stmt)) {
    touch(f->dst, true, f->layout, out);
    reads(f->value, loop, out);
  } else if (const Gemm* g = as<Gemm>(stmt)) {
    touch(g->a, false, {}, out);
    touch(g->b, false, {}, out);
  } else if (const Reduce* r = as<Reduce>(stmt)) {
    touch(r->src, false, {}, out);
    touch(r->dst, true, {}, out);
  } else if (const Atomic* a = as<Atomic>(stmt)) {
    size_t first = out.size();
    touch(a->dst, true, a->layout, out);
    for (size_t i = first; i < out.size(); ++i) out[i].atomic = name(a->op);
    reads(a->value, loop, out);
  } else if (const Store* s = as<Store>(stmt)) {
    std::vector<Expr> index;
    for (const RegionDim& d : s->dims) index.push_back(d.lo), reads(d.lo, loop, out);
    reads(s->value, loop, out);
    if (tracked(s->buffer)) out.push_back(element(s->buffer, index, true, loop, stmt->span));
  } else if (const Do* d = as<Do>(stmt)) {
    intrinsic(to<Call>(d->call), loop, stmt->span, out);
  } else {
    const Parallel* inner = as<Parallel>(stmt);
    for_each_child(
        *stmt, [&](const Expr& e) { reads(e, loop, out); },
        [&](const Stmt& s) { collect(s, inner ? inner : loop, out); });
  }
}

void BarrierAccesses::intrinsic(const Call& call, const Parallel* loop, Span span,
                                Accesses& out) const {
  const std::string word(name(call.intrinsic));
  const bool atomic = word.substr(0, 7) == "atomic_";
  for (const Expr& arg : call.args) {
    const Region* r = as<Region>(arg);
    if (atomic && r && tracked(r->buffer))
      out.push_back(unknown(r->buffer, true, span, word.substr(7)));
    else
      reads(arg, loop, out);
  }
}

std::vector<Symbol> BarrierAccesses::workspaces(const Stmt& stmt) {
  if (const Reduce* r = as<Reduce>(stmt); r && r->workspace) return {r->workspace};
  std::vector<Symbol> out;
  if (const Gemm* g = as<Gemm>(stmt))
    for (Symbol w : g->workspaces)
      if (w) out.push_back(w);
  return out;
}

}  // namespace tilelab
