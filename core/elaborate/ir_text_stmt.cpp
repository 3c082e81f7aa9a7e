// SPDX-License-Identifier: Apache-2.0
// Structure, effects and tile operations of IR text.
#include "core/elaborate/ir_text_impl.h"
#include "core/support/text.h"

namespace tilelab {

using syntax::Trees;

/// The statements of a block, in a scope of their own. A statement with an error is left out.
Stmt IrReader::block(const Trees& body) {
  scopes_.emplace_back();
  size_t depth = scopes_.size();
  Seq seq;
  for (const Tree& tree : body) {
    bool keep = std::exchange(keep_spans_, !syntax::has_origin(tree->origin));
    try {
      if (Stmt s = statement(tree)) seq.stmts.push_back(std::move(s));
    } catch (const Stop&) {
      scopes_.resize(depth);
      mark_broken(tree);
    }
    keep_spans_ = keep;
  }
  scopes_.pop_back();
  return make(std::move(seq));
}

Stmt IrReader::statement(const Tree& tree) {
  switch (tree->kind) {
    case syntax::Kind::pass: return nullptr;
    case syntax::Kind::with: return with(tree);
    case syntax::Kind::for_: return loop(tree);
    case syntax::Kind::if_: return branch(tree);
    case syntax::Kind::while_: {
      if (!tree->orelse.empty()) stop(Diag::ir_statement, tree->span, "`else` after a loop");
      While n;
      n.cond = condition(tree->parts[0]);
      n.body = block(tree->body);
      return done(std::move(n), tree);
    }
    case syntax::Kind::break_: return done(Break(), tree);
    case syntax::Kind::assign: return assignment(tree);
    case syntax::Kind::expression:
      if (tree->part(0).kind == syntax::Kind::call) return effect(tree);
      stop(Diag::ir_statement, tree->span, "an expression without effect");
    case syntax::Kind::unsupported:
      stop(Diag::ir_statement, tree->span, "`" + tree->name.str() + "`");
    default:
      stop(Diag::ir_statement, tree->span,
           "this " + std::string(syntax::kind_name(tree->kind)) + " statement");
  }
}

// ---- effects

Stmt IrReader::assignment(const Tree& tree) {
  if (tree->list.size() != 1)
    stop(Diag::ir_statement, tree->span, "an assignment to several targets");
  const Tree &target = tree->list[0], &source = tree->parts[0];
  if (target->kind == syntax::Kind::subscript) return store(tree);
  if (target->kind != syntax::Kind::name)
    stop(Diag::ir_statement, target->span, "this target of an assignment");
  Symbol name = target->name;
  if (source->kind == syntax::Kind::call)
    if (auto declared = declaration(tree, name, source, callee(source->parts[0]))) return *declared;
  const Entry* old = find(name);
  if (old && old->what == Entry::What::var) {
    Assign n;
    n.name = name;
    DType needed = old->type.dtype;
    n.value =
        source->kind == syntax::Kind::call ? call(source, true, false) : value_of(source, needed);
    if (n.value->type.dtype != needed) type_error(source, n.value, tilelab::name(needed));
    return done(std::move(n), tree);
  }
  Let n;
  n.name = name;
  n.value = source->kind == syntax::Kind::call ? call(source, true, false) : value(source);
  declare_value(name, n.value->type, tree->span);
  return done(std::move(n), tree);
}

Stmt IrReader::store(const Tree& tree) {
  Reference ref = reference(tree->list[0]);
  if (ref.sliced)
    complete(ref, tree->list[0]);
  else
    as_load(ref, tree->list[0]);  // checks the rank
  Store n;
  n.buffer = ref.buffer;
  n.dims = ref.dims;
  n.value = value_of(tree->parts[0], ref.dtype);
  return done(std::move(n), tree);
}

Stmt IrReader::effect(const Tree& tree) {
  const Tree& source = tree->parts[0];
  std::string function = callee(source->parts[0]);
  if (auto stmt = host_statement(tree, source, function)) return *stmt;
  if (auto stmt = tile_operation(tree, source, function)) return *stmt;
  Do n;
  n.call = call(source, true, true);
  if (n.call->kind != Kind::Call)
    stop(Diag::ir_statement, tree->span, "an expression without effect");
  return done(std::move(n), tree);
}

// ---- tile operations

std::optional<Stmt> IrReader::tile_operation(const Tree& tree, const Tree& call,
                                             const std::string& function) {
  if (function == "copy") return copy(tree, call);
  if (function == "fill") return fill(tree, call);
  if (function == "gemm") return gemm(tree, call);
  if (function == "reduce") return reduce(tree, call);
  if (function == "scan") return scan(tree, call);
  if (function == "atomic") return atomic(tree, call);
  if (function == "print") return record(tree, call, RecordKind::print);
  if (function == "device_assert") return record(tree, call, RecordKind::assert_);
  if (function == "assume") return record(tree, call, RecordKind::assume);
  if (function == "ring_acquire") return ring_op(tree, call, RingOpKind::acquire, {});
  if (function == "ring_wait") return ring_op(tree, call, RingOpKind::wait, {});
  if (function == "ring_commit") return ring_op(tree, call, RingOpKind::commit, {});
  if (function == "ring_release") return ring_op(tree, call, RingOpKind::release, {});
  return std::nullopt;
}

Stmt IrReader::copy(const Tree& tree, const Tree& call) {
  Arguments args(*this, call);
  Copy n;
  n.src = region_operand(args.need("src"));
  n.dst = region_operand(args.need("dst"));
  args.get_word("by", n.by, "simt, cp_async, tma, tme, ldsm, smem");
  if (Tree map = args.named("map")) {
    lookup(map, Entry::What::map, "a tensor map");
    n.map = map->name;
  }
  args.get("vec", n.vec);
  layout_arguments(n.layout, args);
  if (Tree attrs = args.named("attrs")) n.attrs = dict(attrs);
  args.finish();
  return done(std::move(n), tree);
}

Stmt IrReader::fill(const Tree& tree, const Tree& call) {
  Arguments args(*this, call);
  Fill n;
  n.dst = region_operand(args.need("dst"));
  n.value = value_of(args.need("value"), n.dst->type.dtype);
  args.get("vec", n.vec);
  layout_arguments(n.layout, args);
  args.finish();
  return done(std::move(n), tree);
}

Stmt IrReader::gemm(const Tree& tree, const Tree& call) {
  Arguments args(*this, call);
  Gemm n;
  n.a = region_operand(args.need("a"));
  n.b = region_operand(args.need("b"));
  n.c = region_operand(args.need("c"));
  args.get("tA", n.trans_a);
  args.get("tB", n.trans_b);
  if (Tree clear = args.named("clear")) n.clear = condition(clear);
  args.get_word("policy", n.policy, "square, full_row, full_col");
  args.get_word("by", n.by, "fma, mma, wgmma, sqmma");
  args.get("inst", n.inst);
  args.get("warps", n.warps);
  args.get("wait", n.wait);
  if (Tree ws = args.named("ws")) n.workspaces = symbols(ws);
  args.finish();
  return done(std::move(n), tree);
}

Stmt IrReader::reduce(const Tree& tree, const Tree& call) {
  Arguments args(*this, call);
  Reduce n;
  n.src = region_operand(args.need("src"));
  n.dst = region_operand(args.need("dst"));
  args.get("dims", n.dims);
  args.get_word("op", n.op, "sum, max, min, abssum, absmax, bitand, bitor, bitxor");
  args.get("clear", n.clear);
  args.get("nan_propagate", n.nan_propagate);
  args.get("ws", n.workspace);
  if (Tree order = args.named("order")) n.order = texts(order);
  args.finish();
  return done(std::move(n), tree);
}

Stmt IrReader::scan(const Tree& tree, const Tree& call) {
  Arguments args(*this, call);
  Scan n;
  n.src = region_operand(args.need("src"));
  n.dst = region_operand(args.need("dst"));
  args.get_word("op", n.op, "sum, max");
  args.get("dim", n.dim);
  args.get("reverse", n.reverse);
  args.finish();
  return done(std::move(n), tree);
}

Stmt IrReader::atomic(const Tree& tree, const Tree& call) {
  Arguments args(*this, call);
  Atomic n;
  n.dst = region_operand(args.need("dst"));
  n.value = value_of(args.need("value"), n.dst->type.dtype);
  args.get_word("op", n.op, "add, max, min, or, and, xor");
  args.get("order", n.order);
  args.get("vec", n.vec);
  layout_arguments(n.layout, args);
  args.finish();
  return done(std::move(n), tree);
}

Stmt IrReader::ring_op(const Tree& tree, const Tree& call, RingOpKind op, Symbol slot) {
  Arguments args(*this, call);
  RingOp n;
  n.op = op;
  Tree ring = args.need("ring");
  lookup(ring, Entry::What::ring, "a ring");
  n.ring = ring->name;
  args.finish();
  n.slot = slot;
  if (slot) declare_value(slot, {DType::i32}, tree->span);
  return done(std::move(n), tree);
}

Stmt IrReader::record(const Tree& tree, const Tree& call, RecordKind what) {
  Arguments args(*this, call);
  Record n;
  n.what = what;
  n.message = text(args.need("message"));
  for (const Tree& item : args.rest()) n.values.push_back(value(item));
  args.get("buffer", n.buffer);
  if (Tree index = args.named("index")) n.index = exprs(index);
  args.finish();
  return done(std::move(n), tree);
}

// ---- structure

/// The names of a loop or of `as`.
std::vector<Symbol> IrReader::targets(const Tree& tree) {
  std::vector<Symbol> out;
  if (!tree) return out;
  auto one = [&](const Tree& t) {
    if (t->kind != syntax::Kind::name) stop(Diag::ir_statement, t->span, "this target");
    out.push_back(t->name);
  };
  if (tree->kind == syntax::Kind::tuple)
    for (const Tree& item : tree->list) one(item);
  else
    one(tree);
  return out;
}

Stmt IrReader::with(const Tree& tree) {
  const syntax::Node& item = *tree->list[0];
  const Tree& context = item.parts[0];
  std::string function =
      context->kind == syntax::Kind::call ? callee(context->parts[0]) : std::string();
  if (tree->list.size() == 1 && function == "kernel") return kernel(tree, context, item.parts[1]);
  if (tree->list.size() == 1 && function == "role") return role(tree, context, item.parts[1]);
  stop(Diag::ir_statement, tree->list[0]->span, "a `with` that opens neither a kernel nor a role");
}

Stmt IrReader::kernel(const Tree& tree, const Tree& call, const Tree& target) {
  Arguments args(*this, call);
  Kernel n;
  n.name = text(args.need("name"));
  Tree grid = args.named("grid");
  if (!grid) stop(Diag::ir_arguments, call->span, "`kernel` needs `grid`");
  n.grid = exprs(grid);
  args.get("block", n.block);
  args.get("smem", n.smem);
  if (Tree params = args.named("params")) n.params = symbols(params);
  if (Tree attrs = args.named("attrs")) n.attrs = dict(attrs);
  args.finish();
  n.indices = targets(target);
  scopes_.emplace_back();
  for (Symbol index : n.indices) declare_value(index, {DType::i32}, target->span);
  n.body = block(tree->body);
  scopes_.pop_back();
  return done(std::move(n), tree);
}

Stmt IrReader::role(const Tree& tree, const Tree& call, const Tree& target) {
  Arguments args(*this, call);
  Role n;
  n.name = text(args.need("name"));
  n.lo = integer(args.need("lo"));
  n.hi = integer(args.need("hi"));
  args.get("regs", n.regs);
  args.get("copies", n.copies);
  args.finish();
  std::vector<Symbol> names = targets(target);
  if (names.size() > 1) stop(Diag::ir_statement, target->span, "more than one name for the thread");
  scopes_.emplace_back();
  if (!names.empty()) {
    n.thread = names[0];
    declare_value(n.thread, {DType::i32}, target->span);
  }
  n.body = block(tree->body);
  scopes_.pop_back();
  return done(std::move(n), tree);
}

Stmt IrReader::loop(const Tree& tree) {
  const Tree& source = tree->parts[1];
  if (!tree->orelse.empty()) stop(Diag::ir_statement, tree->span, "`else` after a loop");
  std::string function =
      source->kind == syntax::Kind::call ? callee(source->parts[0]) : std::string();
  scopes_.emplace_back();
  Stmt out = function == "parallel" ? parallel(tree)
             : function == "tiles"  ? tile_loop(tree)
                                    : for_loop(tree, function);
  scopes_.pop_back();
  return out;
}

/// serial, unroll, vec, pipelined (all of `n`, `lo, hi` or `lo, hi, step`), and steps.
Stmt IrReader::for_loop(const Tree& tree, const std::string& function) {
  const Tree& source = tree->parts[1];
  For n;
  bool steps = function == "steps", pipelined = function == "pipelined" || function == "Pipelined";
  auto mode = parse_enum<LoopMode>(function);
  if (!mode && !steps && !pipelined)
    stop(Diag::ir_statement, source->span,
         "a loop over anything but serial, unroll, vec, pipelined, steps, parallel or tiles");
  n.mode = steps ? LoopMode::unroll : mode.value_or(LoopMode::serial);
  std::vector<Symbol> names = targets(tree->parts[0]);
  if (names.size() != 1)
    stop(Diag::ir_statement, tree->part(0).span, "more than one loop variable");
  n.var = names[0];
  Arguments args(*this, source);
  Type type;
  Trees limits = args.rest();
  if (steps) {
    for (const Tree& item : limits) n.steps.push_back(integer(item));
    if (n.steps.empty()) stop(Diag::ir_arguments, source->span, "`steps` needs values");
    args.get_word("mode", n.mode, "serial, unroll, vec");
    Tree lo = args.named("lo"), hi = args.named("hi"), step = args.named("step");
    n.lo = lo ? value(lo) : int_const(0);
    n.hi = hi ? value(hi) : int_const(0);
    n.step = step ? value(step) : int_const(1);
    type = n.lo->type;
  } else {
    if (limits.empty() || limits.size() > 3)
      stop(Diag::ir_arguments, source->span,
           "`" + function + "` takes `n`, or `lo, hi`, or `lo, hi, step`");
    std::vector<Expr> values = bounds(limits);
    type = values[0]->type;
    n.lo = values.size() == 1 ? int_const(0, type.dtype) : values[0];
    n.hi = values.size() == 1 ? values[0] : values[1];
    n.step = values.size() == 3 ? values[2] : int_const(1, type.dtype);
  }
  args.get("stages", n.stages);
  if (Tree attrs = args.named("attrs")) n.attrs = dict(attrs);
  args.finish();
  declare_value(n.var, type, tree->part(0).span);
  n.body = block(tree->body);
  return done(std::move(n), tree);
}

Stmt IrReader::parallel(const Tree& tree) {
  Arguments args(*this, tree->parts[1]);
  Parallel n;
  n.vars = targets(tree->parts[0]);
  n.extents = bounds(args.rest(), false);
  if (n.extents.empty() || n.extents.size() != n.vars.size())
    stop(Diag::ir_arguments, tree->part(1).span,
         "`parallel` takes one extent for each of its " +
             plural(static_cast<int64_t>(n.vars.size()), "variable"));
  layout_arguments(n.layout, args);
  args.get("vec", n.vec);
  if (Tree attrs = args.named("attrs")) n.attrs = dict(attrs);
  args.finish();
  for (size_t i = 0; i < n.vars.size(); ++i)
    declare_value(n.vars[i], n.extents[i]->type, tree->part(0).span);
  n.body = block(tree->body);
  return done(std::move(n), tree);
}

Stmt IrReader::tile_loop(const Tree& tree) {
  Arguments args(*this, tree->parts[1]);
  TileLoop n;
  n.vars = targets(tree->parts[0]);
  n.domain = exprs(args.need("domain"));
  if (n.domain.size() != n.vars.size())
    stop(Diag::ir_arguments, tree->part(1).span,
         "`tiles` takes one extent for each of its " +
             plural(static_cast<int64_t>(n.vars.size()), "variable"));
  args.get("source", n.source);
  if (Tree stride = args.named("stride")) n.stride = value(stride);
  args.get("ring", n.ring);
  args.get("counter", n.counter);
  args.get("order", n.order);
  args.finish();
  for (size_t i = 0; i < n.vars.size(); ++i)
    declare_value(n.vars[i], n.domain[i]->type, tree->part(0).span);
  n.body = block(tree->body);
  return done(std::move(n), tree);
}

Stmt IrReader::branch(const Tree& tree) {
  If n;
  n.cond = condition(tree->parts[0]);
  n.then_ = block(tree->body);
  if (!tree->orelse.empty()) n.else_ = block(tree->orelse);
  return done(std::move(n), tree);
}

}  // namespace tilelab
