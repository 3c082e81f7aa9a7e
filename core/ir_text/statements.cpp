// SPDX-License-Identifier: Apache-2.0
// Structure and effects in IR text.
#include "core/ir_text/reader.h"
#include "core/support/text.h"

namespace tilelab {

using syntax::Trees;

/// The statements of a block, in a nested scope. A statement with an error is skipped.
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
      stop(Diag::ir_statement, tree->span, "an expression without side effect");
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
    if (auto declared = declaration(tree, name, source)) return *declared;
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
  if (auto stmt = call_form(tree, source, {})) return *stmt;
  Do n;
  n.call = call(source, true, true);
  if (n.call->kind != Kind::Call)
    stop(Diag::ir_statement, tree->span, "an expression without side effect");
  return done(std::move(n), tree);
}

// ---- structure

/// The targets of a loop or of `as`.
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
  if (target)
    stop(Diag::ir_statement, target->span, "a name for the thread of a role (it is `tid`)");
  scopes_.emplace_back();
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

/// serial, unroll, vec, pipelined (each with `n`, `lo, hi` or `lo, hi, step`), and steps.
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
    args.get_word("mode", n.mode);
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
  args.get("stages", n.stages), args.get("vec", n.vec);
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
  args.get_word("by", n.by);
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
  args.get_word("source", n.source);
  if (Tree stride = args.named("stride")) n.stride = value(stride);
  args.get("ring", n.ring);
  args.get("counter", n.counter);
  args.get_word("order", n.order);
  args.get("group", n.group);
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
