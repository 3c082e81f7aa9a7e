// SPDX-License-Identifier: Apache-2.0
// Reducers. T.alloc_reducer declares a fragment; a T.Parallel that updates it accumulates into a
// fragment of the loop's shape, which is reduced after the loop:
//   for i, j in T.Parallel(M, N): acc[i] += A[i, j]
//   ->  for i, j in T.Parallel(M, N): part[i, j] = 0; part[i, j] = part[i, j] + A[i, j]
//       T.reduce_sum(part, acc, dim=1, clear=False)
// For acc[j, i] the dimensions of the fragment are in the reducer's order, not the loop's. So every
// iteration counts once, independent of the thread distribution. Inside of a serial loop that the
// reducer's life spans, threads keep their parts over its iterations, if their registers have
// space, and T.finalize_reducer combines them:
//   T.clear(acc); for k in T.serial(n): for i, j in T.Parallel(M, N): acc[i] += A[k, i, j]
//   ->  acc = 0; part = 0; for k in T.serial(n): for i, j in T.Parallel(M, N): part[i, j] += ...
//       T.reduce_sum(part, acc, dim=1, clear=False)
// Otherwise the reducer holds the combined value after each loop.
#include <algorithm>
#include <cmath>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"
#include "core/ir/compare.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

constexpr int64_t kFewElements = 16;    // per reducer: the limit for separate partial buffers
constexpr int64_t kKeptRegisters = 64;  // per thread: the limit for a part kept over a loop

/// The operator of a reduction that is one; nullopt for minima and maxima.
std::optional<BinOp> operator_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum: return BinOp::add;
    case ReduceOp::bitand_: return BinOp::band;
    case ReduceOp::bitor_: return BinOp::bor;
    case ReduceOp::bitxor_: return BinOp::bxor;
    default: return std::nullopt;
  }
}

Expr combined_value(ReduceOp op, const Expr& a, const Expr& b) {
  if (const auto combined = operator_of(op)) return binary(*combined, a, b);
  const Intrinsic extremum = op == ReduceOp::max ? Intrinsic::maximum : Intrinsic::minimum;
  return tilelab::call(extremum, a->type, {a, b});
}

Expr identity_value(ReduceOp op, DType dtype) {
  if (op == ReduceOp::bitand_)  // all bits
    return int_const(is_signed(dtype) ? -1 : max_int(dtype), dtype);
  if (operator_of(op)) return number(0, dtype);
  double infinity = op == ReduceOp::max ? -INFINITY : INFINITY;
  if (dtype == DType::e8m0 && infinity < 0) return constant({dtype}, 0);  // unsigned
  if (is_float(dtype)) return float_const(infinity, dtype);
  return int_const(op == ReduceOp::max ? min_int(dtype) : max_int(dtype), dtype);
}

/// The operation by which `value` updates an element of `buffer`; nullopt if none.
std::optional<ReduceOp> combination(const Expr& stored, const Store& store) {
  // Look through the cast to a wider type of the other operand.
  const auto as_it_is = [](const Expr& e) { return as<Cast>(e) ? to<Cast>(e).a : e; };
  const Expr value = as_it_is(stored);
  const std::vector<Expr> index = lows(store.dims);
  auto old = [&](const Expr& e) {
    const Expr read = as_it_is(e);
    const Load* l = as<Load>(read);
    if (!l || l->buffer != store.buffer || l->index.size() != index.size()) return false;
    for (size_t i = 0; i < index.size(); ++i)
      if (!equal(l->index[i], index[i])) return false;
    return true;
  };
  auto one_old = [&](const Expr& a, const Expr& b) {
    return (old(a) && !reads(*b, store.buffer)) || (old(b) && !reads(*a, store.buffer));
  };
  if (const Bin* bin = as<Bin>(value))
    for (ReduceOp op : {ReduceOp::sum, ReduceOp::bitand_, ReduceOp::bitor_, ReduceOp::bitxor_})
      if (operator_of(op) == bin->op && one_old(bin->a, bin->b)) return op;
  if (const Call* call = as<Call>(value); call && call->args.size() == 2) {
    bool max = call->intrinsic == Intrinsic::maximum;
    if ((max || call->intrinsic == Intrinsic::minimum) && one_old(call->args[0], call->args[1]))
      return max ? ReduceOp::max : ReduceOp::min;
  }
  return std::nullopt;
}

/// The items of a loop, such as its variables, in the order of a partial buffer's dimensions.
template <class Item>
std::vector<Item> in_order(const std::vector<Item>& items, const std::vector<int64_t>& order) {
  std::vector<Item> out;
  for (const int64_t v : order) out.push_back(items[static_cast<size_t>(v)]);
  return out;
}

std::vector<Expr> variables_of(const Parallel& loop, const std::vector<int64_t>& order) {
  std::vector<Expr> out;
  for (size_t v = 0; v < loop.vars.size(); ++v)
    out.push_back(name_ref(loop.vars[v], loop.extents[v]->type));
  return in_order(out, order);
}

Expr whole_of(const BufferInfo& info) {
  std::vector<RegionDim> box;
  for (const Expr& extent : info.shape) box.push_back(slice(int_const(0), *int_value(extent)));
  return region(info.name, info.dtype, std::move(box));
}

}  // namespace

ReducerLifetimes::Place Elaborator::here() const {
  const auto dynamic =
      std::count_if(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.dynamic; });
  return {ir_.regions(), static_cast<size_t>(dynamic), parallel_ > 0, ir_.depth()};
}

Value Elaborator::on_reducer(Arguments& args) {
  const std::string& what = args.row->data;
  if (what == "alloc") return allocate_reducer(args);
  auto acc = operand(args["acc"]);
  if (!acc || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (!reducers_.has(acc->buffer->name)) {
    report(Diag::reducer_use, args["acc"].span, acc->buffer->name, "another function made it")
        .help("allocate it with T.alloc_reducer(shape, dtype, op=\"sum\")");
    return {};
  }
  const ReduceOp op = reducers_.op(acc->buffer->name);
  if (what == "update") return update_reducer(args, *acc, op);
  if (what == "finalize") return finalize_reducer(args, *acc);
  const Argument& init = args["init"];
  Fill fill;
  fill.dst = region_of(*acc);
  fill.value = init.value.is<None>() ? identity_value(op, acc->buffer->dtype)
                                     : to_dtype(init.value, acc->buffer->dtype, init.span);
  if (!fill.dst || !fill.value) return {};
  emit(make(std::move(fill)), args.span);
  return None{};
}

Value Elaborator::allocate_reducer(Arguments& args) {
  const auto* text = args["op"].value.get<std::string>();
  auto op = text ? parse_enum<ReduceOp>(*text) : std::nullopt;
  if (!op || (!operator_of(*op) && op != ReduceOp::max && op != ReduceOp::min)) {
    report(Diag::reduce_kind, args["op"].span, word_text(args["op"].value))
        .help("use \"sum\", \"max\", \"min\", \"bitand\", \"bitor\" or \"bitxor\"");
    return {};
  }
  Value made = allocate(args, Scope::fragment);
  const BufferRef* buffer = made.get<BufferRef>();
  if (!buffer) return {};
  if (operator_of(*op) && op != ReduceOp::sum && !is_integer((*buffer)->dtype)) {
    report(Diag::reducer_use, args.span, (*buffer)->name,
           "\"" + *text + "\" combines bits of integers, not " +
               std::string(tilelang_name((*buffer)->dtype)))
        .help("allocate it with an integer dtype, which is the second argument: \"int32\"");
    return {};
  }
  reducers_.add((*buffer)->name, *op, args.span);
  return made;
}

/// T.reducer_update(acc[i], x): acc[i] += x, or similar.
Value Elaborator::update_reducer(Arguments& args, const Operand& acc, ReduceOp op) {
  Expr value = to_dtype(args["value"].value, acc.buffer->dtype, args["value"].span);
  if (!value) return {};
  const std::vector<Expr> index = lows(acc.dims);
  Expr old = load(acc.buffer->name, acc.buffer->dtype, index);
  emit(tilelab::store(acc.buffer->name, points(index), combined_value(op, old, value)), args.span);
  return None{};
}

Value Elaborator::finalize_reducer(Arguments& args, Operand& acc) {
  if (!reducers_.close(acc.buffer->name, args.span, here())) return {};
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
        .help("omit batch: tilelab chooses how many results are reduced together");
    return {};
  }
  reducers_.combining = true;
  for (const ReducerPart& part : std::exchange(kept_parts_[acc.buffer->name], {}))
    combine(part, args.span);
  reducers_.combining = false;
  if (args["dst"].value.is<None>()) return None{};
  auto dst = operand(args["dst"]);
  if (!dst || !match_extents(acc, *dst)) return {};
  Copy copy;
  copy.src = whole, copy.dst = region_of(*dst);
  if (!copy.dst) return {};
  emit(make(std::move(copy)), args.span);
  return None{};
}

/// Whether an index is loop-invariant and valid after the loop.
static bool is_loop_invariant(const Expr& index, const Parallel& loop) {
  std::set<Symbol> inside(loop.vars.begin(), loop.vars.end());
  for_each(
      *loop.body, [&](const Let& let) { inside.insert(let.name); },
      [&](const Var& var) { inside.insert(var.name); },
      [&](const Assign& assign) { inside.insert(assign.name); },
      [&](const For& serial) { inside.insert(serial.var); });
  return is_invariant(index, inside);
}

/// Determines the part of the reducer that an update changes; loop variables absent from its index
/// are reduced. False for any other index.
bool Elaborator::reducer_shape(const Store& store, const Parallel& loop, ReducerPart& part) {
  BufferRef buffer = buffer_named(store.buffer);
  std::vector<int64_t> indices;  // loop variables
  const auto used = [&](int64_t v) {
    return std::find(indices.begin(), indices.end(), v) != indices.end();
  };
  for (size_t d = 0; d < store.dims.size(); ++d) {
    const Expr& lo = store.dims[d].lo;
    auto extent = int_value(buffer->shape[d]);
    if (is_loop_invariant(lo, loop)) {
      part.target.push_back(slice(lo, 1));
      continue;
    }
    const Name* name = as<Name>(lo);
    auto at = name ? std::find(loop.vars.begin(), loop.vars.end(), name->id) : loop.vars.end();
    const int64_t v = at - loop.vars.begin();
    if (at == loop.vars.end() || used(v) ||
        int_value(loop.extents[static_cast<size_t>(v)]) != extent)
      return false;
    indices.push_back(v);
    part.target.push_back(slice(int_const(0), *extent));
  }
  const bool permuted = !std::is_sorted(indices.begin(), indices.end());
  if (permuted) part.order = indices;
  for (int64_t v = 0; v < std::ssize(loop.vars); ++v)
    if (!permuted || !used(v)) part.order.push_back(v);
  for (int64_t d = 0; d < std::ssize(part.order); ++d)
    if (!used(part.order[static_cast<size_t>(d)])) part.dims.push_back(d);
  return true;
}

/// The partial buffer of the loop for this target, created on demand.
Elaborator::ReducerPart& Elaborator::find_or_create_part(ReducerPart wanted, const Parallel& loop,
                                                         Span span, ReducerParts& parts) {
  auto alike = [&](const ReducerPart& part) {
    bool same =
        part.reducer == wanted.reducer && part.order == wanted.order && part.dims == wanted.dims;
    for (size_t d = 0; same && d < part.target.size(); ++d)
      same = part.target[d].extent == wanted.target[d].extent &&
             equal(part.target[d].lo, wanted.target[d].lo);
    return same;
  };
  auto found = std::find_if(parts.begin(), parts.end(), alike);
  if (found != parts.end()) return *found;
  const BufferRef reducer = buffer_named(wanted.reducer);
  wanted.buffer = declare(reducer->name.str() + "_part", Scope::fragment, reducer->dtype,
                          in_order(loop.extents, wanted.order), span);
  wanted.first = identity_value(reducers_.op(wanted.reducer), reducer->dtype);
  parts.push_back(std::move(wanted));
  return parts.back();
}

/// The update, redirected to a partial buffer.
static Stmt redirected(const Store& update, const Parallel& loop, const BufferInfo& part,
                       const std::vector<int64_t>& order) {
  const std::vector<Expr> at_vars = variables_of(loop, order);
  Expr mine = load(part.name, part.dtype, at_vars);
  Expr value = rewrite(update.value, [&](const Expr& e) -> Expr {
    const Load* l = as<Load>(e);
    return l && l->buffer == update.buffer ? mine : e;
  });
  return at(update.span, tilelab::store(part.name, points(at_vars), value));
}

/// Redirects the update of a reducer in `loop` to its partial buffer; null after an error.
Stmt Elaborator::update_of_part(const Store& update, const Parallel& loop, Span span,
                                ReducerParts& parts) {
  const ReduceOp op = reducers_.op(update.buffer);
  if (combination(update.value, update) != op) {
    std::string sign = op == ReduceOp::sum   ? "acc[i] += x"
                       : op == ReduceOp::max ? "acc[i] = T.max(acc[i], x)"
                                             : "acc[i] = T.min(acc[i], x)";
    report(Diag::reducer_use, update.span, update.buffer, "this store is not an update")
        .help("write `" + sign + "`, or T.reducer_update(acc[i], x)");
    return nullptr;
  }
  ReducerPart part;
  part.reducer = update.buffer;
  const bool known = std::all_of(loop.extents.begin(), loop.extents.end(),
                                 [](const Expr& extent) { return int_value(extent).has_value(); });
  if (known && reducer_shape(update, loop, part)) {
    const ReducerPart& into = find_or_create_part(std::move(part), loop, span, parts);
    return redirected(update, loop, *into.buffer, into.order);
  }
  BufferRef reducer = buffer_named(update.buffer);
  if (known && elements(to<Region>(whole_of(*reducer))) <= kFewElements)
    return update_of_each(update, loop, span, parts);
  report(Diag::reducer_use, update.span, update.buffer,
         "its index does not use loop variables over their whole range, each once")
      .label(reducer->span, "allocated here, " + shape_text(reducer->shape))
      .help(
          "loop over the extents of the reducer first: `for i, j in T.Parallel(M, N): acc[i] += "
          "x`");
  return nullptr;
}

/// Arbitrary indices: a partial buffer for each element of the reducer.
Stmt Elaborator::update_of_each(const Store& update, const Parallel& loop, Span span,
                                ReducerParts& parts) {
  const Expr whole = whole_of(*buffer_named(update.buffer));
  std::vector<Stmt> out;
  for (int64_t number = 0; number < elements(to<Region>(whole)); ++number) {
    ReducerPart part;
    part.reducer = update.buffer;
    part.target = to<Region>(whole).dims;
    for (size_t v = 0; v < loop.vars.size(); ++v) part.order.push_back(int64_t(v));
    part.dims = part.order;
    Expr chosen;
    int64_t rest = number;
    for (size_t d = part.target.size(); d-- > 0;) {
      const int64_t place = rest % part.target[d].extent;
      rest /= part.target[d].extent;
      part.target[d] = slice(int_const(place), 1);
      const Expr& lo = update.dims[d].lo;
      chosen = land(eq(lo, int_const(place, lo->type.dtype)), chosen);
    }
    const ReducerPart& into = find_or_create_part(std::move(part), loop, span, parts);
    out.push_back(
        at(update.span, if_then(chosen, redirected(update, loop, *into.buffer, into.order))));
  }
  return seq(std::move(out));
}

/// Adds the result of a loop to the reducer; for some elements only, through a tile of their shape.
void Elaborator::combine(const ReducerPart& part, Span span) {
  const BufferRef reducer = buffer_named(part.reducer);
  const Expr whole = whole_of(*reducer);
  const ReduceOp op = reducers_.op(part.reducer);
  Reduce reduce;
  reduce.op = op;
  reduce.dims = part.dims;
  reduce.src = whole_of(*part.buffer);
  bool all = true;
  for (size_t d = 0; d < part.target.size(); ++d)
    all &= part.target[d].extent == to<Region>(whole).dims[d].extent;
  reduce.clear = !all;
  if (all) {
    reduce.dst = whole;
    return emit(make(std::move(reduce)), span);
  }
  std::vector<Expr> shape;
  for (const RegionDim& d : part.target) shape.push_back(int_const(d.extent));
  const BufferRef found =
      declare(reducer->name.str() + "_found", Scope::fragment, reducer->dtype, shape, span);
  emit(buffer_stmt(*found), span);
  reduce.dst = whole_of(*found);
  emit(make(std::move(reduce)), span);
  Parallel loop;
  std::vector<Expr> place, index;
  ir_.open_block();
  for (const RegionDim& d : part.target) {
    loop.vars.push_back(ir_.fresh("i"));
    loop.extents.push_back(int_const(d.extent));
    place.push_back(name_ref(loop.vars.back(), {DType::i32}));
    index.push_back(d.extent == 1 ? d.lo : offset_by(d.lo, place.back()));
  }
  Expr old = load(reducer->name, reducer->dtype, index);
  Expr more = load(found->name, found->dtype, place);
  emit(tilelab::store(reducer->name, points(index), combined_value(op, old, more)), span);
  loop.body = ir_.close_block();
  emit(make(std::move(loop)), span);
}

/// Declares the part outside of the serial loops that the reducer's life spans, which then
/// accumulate in it; returns false if there are none, or the part is too large.
bool Elaborator::keep_part(const ReducerPart& part, Span span) {
  ReducerLifetimes::Place around = here();
  --around.loops;  // the T.Parallel itself
  const auto depth = reducers_.outside_of_loops(part.reducer, around);
  const Expr whole = whole_of(*part.buffer);
  int64_t threads = 1;
  for (int64_t extent : kernel_frame_.threads) threads *= extent;
  const bool all =
      std::equal(part.target.begin(), part.target.end(), buffer_named(part.reducer)->shape.begin(),
                 [](const RegionDim& d, const Expr& extent) {
                   return is_int(d.lo, 0) && int_value(extent) == d.extent;
                 });
  if (!depth || !all || elements(to<Region>(whole)) > kKeptRegisters * threads) return false;
  Fill fill;
  fill.dst = whole, fill.value = part.first;
  std::vector<Stmt>& block = ir_.block(*depth);
  block.push_back(at(span, buffer_stmt(*part.buffer)));
  block.push_back(at(span, make(std::move(fill))));
  kept_parts_[part.reducer].push_back(part);
  return true;
}

/// Emits a T.Parallel; updates of reducers accumulate in a fragment of its shape.
void Elaborator::emit_reducing(Parallel loop, Span span) {
  ReducerParts parts;
  bool good = true;
  loop.body = rewrite_stmts(loop.body, [&](const Stmt& s) -> Stmt {
    const Store* update = as<Store>(s);
    if (!good || !update || !reducers_.has(update->buffer)) return s;
    Store placed(*update);
    placed.span = s->span;
    Stmt of_part = update_of_part(placed, loop, span, parts);
    good = bool(of_part);
    return good ? of_part : s;
  });
  if (!good) return;
  std::vector<Stmt> body;
  std::erase_if(parts, [&](const ReducerPart& part) { return keep_part(part, span); });
  for (const ReducerPart& part : parts) {
    emit(buffer_stmt(*part.buffer), span);
    body.push_back(at(span, tilelab::store(part.buffer->name,
                                           points(variables_of(loop, part.order)), part.first)));
  }
  body.push_back(loop.body);
  loop.body = seq(std::move(body));
  reducers_.combining = true;
  emit(make(std::move(loop)), span);
  for (const ReducerPart& part : parts) combine(part, span);
  reducers_.combining = false;
}

/// T.Ramp(base, 1, lanes): a slice.
Value Elaborator::on_ramp(Arguments& args) {
  auto lanes =
      static_count(args["lanes"].value, args["lanes"].span, "the number of lanes", 1, kMaxCount);
  if (!lanes) return {};
  if (integer_of(args["stride"].value) != 1) {
    report(Diag::slice_step, args["stride"].span)
        .help("use stride 1; loop with T.Parallel over elements with a larger stride");
    return {};
  }
  Value end = binary_op(syntax::Op::add, args["base"].value, *lanes, args.span);
  return SliceValue{std::make_shared<Value>(args["base"].value), std::make_shared<Value>(end),
                    std::make_shared<Value>(None{}), true};
}

}  // namespace tilelab::elaborate
