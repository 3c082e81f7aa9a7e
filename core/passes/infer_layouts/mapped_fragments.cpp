// SPDX-License-Identifier: Apache-2.0
#include "core/passes/infer_layouts/decide.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/fitted.h"
#include "core/ir/regions.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/lower_tile_ops/mapped_accesses.h"

namespace tilelab {
namespace {

class Rows {
 public:
  Rows(const Func& func, const Kernel& kernel, std::unordered_map<Symbol, int>& taken)
      : tensors_(buffers_of(func)), views_(views_of(*kernel.body)), taken_(taken) {
    here_.facts = RangeAnalysis::of(func);
    here_.facts.enter(kernel, 1);
    fragments_ = buffers_of(kernel.body);
    std::erase_if(tensors_, [](const auto& entry) { return entry.second->scope != Scope::global; });
    std::erase_if(fragments_, [](const auto& entry) {
      return entry.second->scope != Scope::fragment || !entry.second->where.known();
    });
  }

  Stmt run(const Stmt& body) {
    if (fragments_.empty()) return body;
    const Stmt out = visit(body);
    temporaries_.push_back(out);
    return seq(temporaries_);
  }

 private:
  const Buffer* fragment(Symbol name) const {
    auto found = fragments_.find(views_.base_of(name));
    return found == fragments_.end() ? nullptr : found->second;
  }

  Stmt visit(const Stmt& s) {
    if (!s) return s;
    if (const Buffer* buffer = as<Buffer>(s); buffer && fragment(buffer->name)) {
      Buffer row(*buffer);
      row.shape.clear();
      for (int64_t extent : buffer->where.extents) row.shape.push_back(int_const(extent));
      row.where = {};
      return at(s->span, Stmt(make(std::move(row))));
    }
    if (const View* view = as<View>(s)) return fragment(view->name) ? seq({}) : s;
    if (const Parallel* loop = as<Parallel>(s)) return linearize_loop(*loop, s->span);
    if (group(s->kind) == Group::tile && touches(*s)) {
      Stmt loop = as_loop(s);
      return loop ? visit(loop) : with_temporaries(s);
    }
    return children(s);
  }

  Stmt children(const Stmt& s) {
    const Stmt out = map_children(
        s, [&](const Expr& e) { return numbered(e); }, [&](const Stmt& c) { return visit(c); });
    const Store* store = as<Store>(out);
    if (!store || !fragment(store->buffer)) return out;
    const std::vector<Expr> index = lows(store->dims);
    return at(s->span, tilelab::store(views_.base_of(store->buffer),
                                      {point(number(store->buffer, index))}, store->value));
  }

  bool touches(const Node& s) const {
    const std::vector<Operand> operands = operands_of(s);
    return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
      return fragment(operand.region ? operand.region->buffer : operand.buffer) != nullptr;
    });
  }

  /// The linear index of an element; for a view, that of the aliased element.
  Expr number(Symbol name, std::vector<Expr> index) const {
    const Buffer& of = *fragment(name);
    if (index.size() == over_.size() && &of == of_ &&
        std::equal(index.begin(), index.end(), over_.begin(), [](const Expr& e, Symbol var) {
          const Name* n = as<Name>(e);
          return n && n->id == var;
        }))
      return name_ref(number_, {DType::i32});
    return places_at(of.where, in_buffer(name, of, views_, std::move(index)))[0];
  }

  Expr numbered(const Expr& e) const {
    return rewrite(e, [&](const Expr& part) -> Expr {
      if (const Load* l = as<Load>(part); l && fragment(l->buffer))
        return load(views_.base_of(l->buffer), l->type.dtype, {number(l->buffer, l->index)});
      const Region* r = as<Region>(part);
      if (!r || !fragment(r->buffer)) return part;
      const std::vector<Expr> index = lows(r->dims);
      return region(views_.base_of(r->buffer), r->type.dtype, {point(number(r->buffer, index))});
    });
  }

  // ---- loops

  /// The fragment whose elements the loop's variables enumerate.
  const Buffer* iterated_fragment(const Parallel& loop) const {
    const Buffer* out = nullptr;
    auto match = [&](Symbol name, const std::vector<Expr>& index) {
      const Buffer* of = fragment(name);
      if (out || !of || of->name != name || index.size() != loop.vars.size()) return;
      const Index shape = const_shape(*of);
      for (size_t d = 0; d < index.size(); ++d) {
        const Name* var = as<Name>(index[d]);
        if (!var || var->id != loop.vars[d] || !is_int(loop.extents[d], shape[d])) return;
      }
      out = of;
    };
    for_each(
        *loop.body, [&](const Load& load) { match(load.buffer, load.index); },
        [&](const Store& s) {
          const std::vector<Expr> index = lows(s.dims);
          match(s.buffer, index);
        });
    return out;
  }

  Stmt linearize_loop(const Parallel& loop, Span span) {
    const Buffer* of = loop.layout.known() ? nullptr : iterated_fragment(loop);
    if (!of) return children(at(span, Stmt(make(Parallel(loop)))));
    of_ = of, over_ = loop.vars, number_ = fresh_name("n", taken_);
    Parallel out(loop);
    out.vars = {number_};
    out.extents = {int_const(of->where.extents[0])};
    const Index shape = const_shape(*of);
    const auto index =
        element_at(of->where, shape, extent(of->layout, 'r'), name_ref(number_, {DType::i32}));
    CHECK(!index.empty(), "no way back from the numbers of `" + of->name.str() + "`");
    Substitution values;
    for (size_t d = 0; d < shape.size(); ++d)
      values[loop.vars[d]] = cast(loop.extents[d]->type.dtype, index[d]);
    out.body = substitute(visit(loop.body), values);
    of_ = nullptr, over_.clear();
    return at(span, Stmt(make(std::move(out))));
  }

  /// A copy or fill as a loop over its elements; null for any other operation.
  Stmt as_loop(const Stmt& s) {
    const Copy* copy = as<Copy>(s);
    const Fill* fill = as<Fill>(s);
    if (!copy && !fill) return nullptr;
    const Region& dst = to<Region>(copy ? copy->dst : fill->dst);
    Parallel loop;
    std::vector<Expr> position;
    LoweringScope here = here_;
    for (const RegionDim& dim : dst.dims) {
      if (dim.extent == 1) continue;
      loop.vars.push_back(fresh_name("i", taken_));
      loop.extents.push_back(int_const(dim.extent));
      here.facts.set(loop.vars.back(), {0, dim.extent - 1});
      position.push_back(name_ref(loop.vars.back(), {DType::i32}));
    }
    const std::vector<Expr> into = element_in(dst, position);
    Expr value = fill ? fill->value : nullptr;
    if (copy) {
      const Region& src = to<Region>(copy->src);
      const std::vector<Expr> from = element_in(src, position);
      value = load(src.buffer, src.type.dtype, from);
      auto tensor = tensors_.find(src.buffer);
      if (tensor != tensors_.end())
        if (Expr inside = here.in_bounds(tensor->second->shape, from)) {
          const Expr safe = tensor->second->safe;
          value = select(inside, value, safe ? safe : tilelab::number(0, src.type.dtype));
        }
      value = cast(dst.type.dtype, value);
    }
    loop.body = at(s->span, store(dst.buffer, points(into), value));
    auto tensor = tensors_.find(dst.buffer);
    if (tensor != tensors_.end())
      if (Expr inside = here.in_bounds(tensor->second->shape, into))
        loop.body = at(s->span, if_then(inside, loop.body));
    if (copy) loop.layout = copy->layout, loop.attrs = {};
    if (loop.vars.empty()) return loop.body;
    return at(s->span, Stmt(make(std::move(loop))));
  }

  // ---- other operations

  /// The operation on temporary fragments of the same shapes, copied in before and out after it.
  Stmt with_temporaries(const Stmt& s) {
    std::vector<Stmt> before, after;
    Stmt out = s;
    std::vector<Symbol> done;
    for (const Operand& operand : operands_of(*s)) {
      const Symbol name = operand.region ? operand.region->buffer : operand.buffer;
      if (!fragment(name) || std::count(done.begin(), done.end(), name)) continue;
      done.push_back(name);
      const Symbol other = fresh_name(name.str() + "_beside", taken_);
      auto view = views_.find(name);
      const Buffer& of = *fragment(name);
      Buffer twin = new_buffer(other, Scope::fragment, of.dtype,
                               view == views_.end() ? of.shape : view->second->shape);
      before.push_back(moved(name, other, twin, s->span));
      after.push_back(moved(other, name, twin, s->span));
      temporaries_.push_back(at(of.span, Stmt(make(std::move(twin)))));
      out = rename(out, {{name, other}});
    }
    before.push_back(children(out));
    before.insert(before.end(), after.begin(), after.end());
    return seq(std::move(before));
  }

  Stmt moved(Symbol from, Symbol into, const Buffer& like, Span span) {
    Parallel loop;
    std::vector<Expr> index;
    for (const Expr& extent : like.shape) {
      loop.vars.push_back(fresh_name("i", taken_));
      loop.extents.push_back(extent);
      index.push_back(name_ref(loop.vars.back(), {DType::i32}));
    }
    loop.body = at(span, store(into, points(index), load(from, like.dtype, index)));
    return visit(at(span, Stmt(make(std::move(loop)))));
  }

  BufferTable fragments_, tensors_;
  const BufferViews views_;
  LoweringScope here_;
  std::unordered_map<Symbol, int>& taken_;
  std::vector<Stmt> temporaries_;  // declarations
  // The loop over the linear indices of a fragment.
  const Buffer* of_ = nullptr;
  std::vector<Symbol> over_;
  Symbol number_;
};

}  // namespace

Stmt as_rows(const Func& func, const Kernel& kernel, std::unordered_map<Symbol, int>& taken) {
  return Rows(func, kernel, taken).run(kernel.body);
}

}  // namespace tilelab
