// SPDX-License-Identifier: Apache-2.0
// Reducers. T.alloc_reducer makes a fragment; a T.Parallel that updates it keeps what its
// iterations add in a fragment of the loop's shape, which is reduced behind the loop:
//   for i, j in T.Parallel(M, N): acc[i] += A[i, j]
//   ->  for i, j in T.Parallel(M, N): part[i, j] = 0; part[i, j] = part[i, j] + A[i, j]
//       T.reduce_sum(part, acc, dim=1, clear=False)
// So every iteration counts once, whatever threads run it, and between loops the reducer holds the
// combined value: T.finalize_reducer has nothing left to do.
#include <algorithm>
#include <cmath>

#include "core/elaborate/elaborator.h"
#include "core/elaborate/hints.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

Expr neutral(ReduceOp op, DType dtype) {
  double infinity = op == ReduceOp::max ? -INFINITY : INFINITY;
  if (op == ReduceOp::sum) return number(0, dtype);
  if (dtype == DType::e8m0 && infinity < 0) return constant({dtype}, 0);  // without a sign
  if (is_float(dtype)) return float_const(infinity, dtype);
  return int_const(op == ReduceOp::max ? min_int(dtype) : max_int(dtype), dtype);
}

/// The operation that `value` combines an element of `buffer` by; nullopt for anything else.
std::optional<ReduceOp> combination(const Expr& value, const Store& store) {
  std::vector<Expr> index;
  for (const RegionDim& d : store.dims) index.push_back(d.lo);
  auto old = [&](const Expr& e) {
    const Load* l = as<Load>(e);
    if (!l || l->buffer != store.buffer || l->index.size() != index.size()) return false;
    for (size_t i = 0; i < index.size(); ++i)
      if (!equal(l->index[i], index[i])) return false;
    return true;
  };
  auto one_old = [&](const Expr& a, const Expr& b) {
    return (old(a) && !reads(*b, store.buffer)) || (old(b) && !reads(*a, store.buffer));
  };
  if (const Bin* bin = as<Bin>(value); bin && bin->op == BinOp::add && one_old(bin->a, bin->b))
    return ReduceOp::sum;
  if (const Call* call = as<Call>(value); call && call->args.size() == 2) {
    bool max = call->intrinsic == Intrinsic::maximum;
    if ((max || call->intrinsic == Intrinsic::minimum) && one_old(call->args[0], call->args[1]))
      return max ? ReduceOp::max : ReduceOp::min;
  }
  return std::nullopt;
}

std::vector<Expr> variables_of(const Parallel& loop) {
  std::vector<Expr> out;
  for (size_t v = 0; v < loop.vars.size(); ++v)
    out.push_back(name_ref(loop.vars[v], loop.extents[v]->type));
  return out;
}

std::vector<RegionDim> points_of(const std::vector<Expr>& index) {
  std::vector<RegionDim> out;
  for (const Expr& i : index) out.push_back(point(i));
  return out;
}

Expr whole_of(const BufferInfo& info) {
  std::vector<RegionDim> box;
  for (const Expr& extent : info.shape) box.push_back(slice(int_const(0), *int_value(extent)));
  return region(info.name, info.dtype, std::move(box));
}

}  // namespace

Value Elaborator::on_reducer(Arguments& args) {
  const std::string& what = args.row->data;
  if (what == "alloc") return allocate_reducer(args);
  auto acc = operand(args["acc"]);
  if (!acc || !need_kernel(args.span, "T." + args.row->name)) return {};
  auto found = reducers_.find(acc->buffer->name);
  if (found == reducers_.end()) {
    report(Diag::reducer_use, args["acc"].span, acc->buffer->name,
           "it was made by another function")
        .help("allocate it with T.alloc_reducer(shape, dtype, op=\"sum\")");
    return {};
  }
  const ReduceOp op = found->second.op;
  if (what == "update") return update_reducer(args, *acc, op);
  if (what == "finalize") return finalize_reducer(args, *acc);
  const Argument& init = args["init"];
  Fill fill;
  fill.dst = region_of(*acc);
  fill.value = init.value.is<None>() ? neutral(op, acc->buffer->dtype)
                                     : to_dtype(init.value, acc->buffer->dtype, init.span);
  if (!fill.dst || !fill.value) return {};
  emit(make(std::move(fill)), args.span);
  return None{};
}

Value Elaborator::allocate_reducer(Arguments& args) {
  const auto* text = args["op"].value.get<std::string>();
  auto op = text ? parse_enum<ReduceOp>(*text) : std::nullopt;
  if (op != ReduceOp::sum && op != ReduceOp::max && op != ReduceOp::min) {
    report(Diag::reduce_kind, args["op"].span, text ? *text : describe(args["op"].value))
        .help("reducers add (\"sum\") or take the \"max\" or \"min\"");
    return {};
  }
  Value made = allocate(args, Scope::fragment);
  if (const BufferRef* buffer = made.get<BufferRef>())
    reducers_[(*buffer)->name] = {.op = *op, .made = args.span};
  return made;
}

/// T.reducer_update(acc[i], x): acc[i] += x, or its like.
Value Elaborator::update_reducer(Arguments& args, const Operand& acc, ReduceOp op) {
  Expr value = to_dtype(args["value"].value, acc.buffer->dtype, args["value"].span);
  if (!value) return {};
  std::vector<Expr> index;
  std::vector<RegionDim> dims;
  for (const SliceDim& d : acc.dims) index.push_back(d.lo), dims.push_back(point(d.lo));
  Expr old = load(acc.buffer->name, acc.buffer->dtype, index);
  Intrinsic extremum = op == ReduceOp::max ? Intrinsic::maximum : Intrinsic::minimum;
  Expr next =
      op == ReduceOp::sum ? add(old, value) : tilelab::call(extremum, old->type, {old, value});
  emit(tilelab::store(acc.buffer->name, dims, next), args.span);
  return None{};
}

Value Elaborator::finalize_reducer(Arguments& args, Operand& acc) {
  if (!close_reducer(acc.buffer->name, reducers_.at(acc.buffer->name), args.span)) return {};
  Expr whole = region_of(acc);
  auto batch = static_int(args["batch"].value, args["batch"].span, "batch");
  if (!whole || !batch) return {};
  int64_t count = elements(to<Region>(whole));
  if (*batch < 1 || *batch > count || count % *batch != 0) {
    report(Diag::reducer_use, args["batch"].span, acc.buffer->name,
           *batch < 1 ? "batch must be >= 1, got " + std::to_string(*batch)
           : *batch > count
               ? "batch " + std::to_string(*batch) + " exceeds total output elements"
               : "batch " + std::to_string(*batch) + " must evenly divide " + std::to_string(count))
        .help("leave batch out: tilelab chooses how many results meet at once");
    return {};
  }
  if (args["dst"].value.is<None>()) return None{};
  auto dst = operand(args["dst"]);
  if (!dst || !settle_extents(acc, *dst)) return {};
  Copy copy;
  copy.src = whole, copy.dst = region_of(*dst);
  if (!copy.dst) return {};
  emit(make(std::move(copy)), args.span);
  return None{};
}

/// Loop variables that an update's index leaves out: those are reduced. False after an error.
bool Elaborator::reducer_shape(const Store& store, const Parallel& loop,
                               std::vector<int64_t>& dims) {
  BufferRef buffer = buffer_named(store.buffer);
  std::vector<bool> used(loop.vars.size(), false);
  bool good = true;
  size_t next = 0;
  for (size_t d = 0; d < store.dims.size() && good; ++d) {
    auto extent = int_value(buffer->shape[d]);
    if (extent == 1 && is_int(store.dims[d].lo, 0)) continue;
    const Name* name = as<Name>(store.dims[d].lo);
    auto at = name ? std::find(loop.vars.begin(), loop.vars.end(), name->id) : loop.vars.end();
    size_t v = static_cast<size_t>(at - loop.vars.begin());
    good = at != loop.vars.end() && v >= next && int_value(loop.extents[v]) == extent;
    if (good) used[v] = true, next = v + 1;
  }
  for (const Expr& extent : loop.extents) good = good && int_value(extent);
  if (!good) {
    report(Diag::reducer_use, store.span, store.buffer,
           "its index is not made of loop variables over their whole range, in their order")
        .label(buffer->span, "allocated here, " + shape_text(buffer->shape))
        .help(
            "loop over the reducer's own extents first: `for i, j in T.Parallel(M, N): acc[i] += "
            "x`");
    return false;
  }
  for (size_t v = 0; v < used.size(); ++v)
    if (!used[v]) dims.push_back(static_cast<int64_t>(v));
  return true;
}

/// The update of a reducer in `loop`, made one of the part that the loop has of it. Null, with a
/// message, where it is none.
Stmt Elaborator::update_of_part(const Store& update, const Parallel& loop, Span span,
                                ReducerParts& parts) {
  const ReduceOp op = reducers_.at(update.buffer).op;
  if (combination(update.value, update) != op) {
    std::string sign = op == ReduceOp::sum   ? "acc[i] += x"
                       : op == ReduceOp::max ? "acc[i] = T.max(acc[i], x)"
                                             : "acc[i] = T.min(acc[i], x)";
    report(Diag::reducer_use, update.span, update.buffer, "this store is no update of it")
        .help("write `" + sign + "`, or T.reducer_update(acc[i], x)");
    return nullptr;
  }
  std::vector<int64_t> dims;
  if (!reducer_shape(update, loop, dims)) return nullptr;
  ReducerPart& part = parts[update.buffer];
  BufferRef reducer = buffer_named(update.buffer);
  if (!part.buffer) {
    part.buffer =
        declare(reducer->name.str() + "_part", Scope::fragment, reducer->dtype, loop.extents, span);
    part.first = neutral(op, reducer->dtype);
    part.dims = dims;
  }
  const std::vector<Expr> at_vars = variables_of(loop);
  Expr mine = load(part.buffer->name, reducer->dtype, at_vars);
  Expr value = rewrite(update.value, [&](const Expr& e) -> Expr {
    const Load* l = as<Load>(e);
    return l && l->buffer == update.buffer ? mine : e;
  });
  return at(update.span, tilelab::store(part.buffer->name, points_of(at_vars), value));
}

/// Emits a T.Parallel; what it does to reducers goes through a fragment of its shape.
void Elaborator::emit_reducing(Parallel loop, Span span) {
  ReducerParts parts;
  bool good = true;
  loop.body = rewrite(
      loop.body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        const Store* update = as<Store>(s);
        if (!good || !update || !reducers_.count(update->buffer)) return s;
        Store placed(*update);
        placed.span = s->span;
        Stmt of_part = update_of_part(placed, loop, span, parts);
        good = bool(of_part);
        return good ? of_part : s;
      });
  if (!good) return;
  std::vector<Stmt> body;
  for (auto& [name, part] : parts) {
    emit(buffer_stmt(*part.buffer), span);
    body.push_back(
        at(span, tilelab::store(part.buffer->name, points_of(variables_of(loop)), part.first)));
  }
  body.push_back(loop.body);
  loop.body = seq(std::move(body));
  combining_ = true;
  emit(make(std::move(loop)), span);
  for (auto& [name, part] : parts) {
    Reduce reduce;
    reduce.op = reducers_.at(name).op;
    reduce.clear = false;
    reduce.dims = part.dims;
    reduce.src = whole_of(*part.buffer), reduce.dst = whole_of(*buffer_named(name));
    emit(make(std::move(reduce)), span);
  }
  combining_ = false;
}

/// T.Ramp(base, 1, lanes): a slice.
Value Elaborator::on_ramp(Arguments& args) {
  auto lanes = static_int(args["lanes"].value, args["lanes"].span, "the number of lanes");
  if (!lanes) return {};
  if (integer_of(args["stride"].value) != 1) {
    report(Diag::slice_step, args["stride"].span)
        .help("a T.Ramp has stride 1; loop with T.Parallel over elements further apart");
    return {};
  }
  Value end = binary_op(syntax::Op::add, args["base"].value, *lanes, args.span);
  return SliceValue{std::make_shared<Value>(args["base"].value), std::make_shared<Value>(end),
                    std::make_shared<Value>(None{}), true};
}

}  // namespace tilelab::elaborate
