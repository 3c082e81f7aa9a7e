// SPDX-License-Identifier: Apache-2.0
// T.rng_init and the functions that draw from it (philox.h).
#include <algorithm>

#include "core/analysis/bindings.h"
#include "core/analysis/divergence.h"
#include "core/elaborate/elaborator.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {

namespace {

bool reads_thread(const Expr& e) {
  return mentions(e, "tid") || mentions(e, "lane") || mentions(e, "warp");
}

constexpr const char* kPhilox = "curandStatePhilox4_32_10_t";

}  // namespace

/// The expression with lets substituted, unless the result is long.
Expr Elaborator::inline_lets(const Expr& e) const {
  Expr out = e;
  for (bool again = true; again;) {
    again = false;
    out = rewrite(out, [&](const Expr& part) -> Expr {
      const Name* name = as<Name>(part);
      auto it = name ? lets_.find(name->id) : lets_.end();
      if (it == lets_.end()) return part;
      again = true;
      return it->second;
    });
    if (!is_smaller(*out, kMaxLetSize)) return e;
  }
  return out;
}

/// A variable at the head of the kernel: the state outlives the scope of its initialization, which
/// may be conditional.
Symbol Elaborator::random_var(const char* base) {
  const Symbol name = ir_.fresh(base, true);
  vars_.insert(name);
  random_vars_.insert(name);
  auto& head = ir_.block(kernel_block_);
  head.insert(head.begin(), var(name, DType::u64, int_const(0, DType::u64)));
  return name;
}

/// An argument of T.rng_init as u64, in a form that is valid wherever numbers are drawn.
Expr Elaborator::random_argument(const Value& value, Span span, RandomState& state,
                                 const char* base) {
  Expr given = to_expr(value, span, DType::i64);
  if (!given) return nullptr;
  if (given->type.dtype == DType::bool_) given = cast(DType::i32, given);
  if (!is_integer(given->type.dtype) || !given->type.scalar()) {
    to_index(value, span);  // reports the error
    return nullptr;
  }
  const Expr e = cast(DType::u64, inline_lets(given));
  if (!is_invariant(e, vars_)) {
    const Symbol name = random_var(base);
    emit(tilelab::assign(name, e), span);
    state.by_thread |= reads_thread(e);
    return name_ref(name, {DType::u64});
  }
  state.by_thread |= mentions(e, "lane") || mentions(e, "warp");
  for_each(*e, [&](const Name& name) {
    const bool everywhere =
        name.id == Symbol("tid") || signature_.has(name.id) ||
        std::count(kernel_indices_.begin(), kernel_indices_.end(), name.id) != 0;
    if (!everywhere) state.region = ir_.region();
  });
  return e;
}

Value Elaborator::on_random_init(Arguments& args) {
  if (!need_kernel(args.span, "T.rng_init")) return {};
  const auto* generator = args["generator"].value.get<std::string>();
  random_.reset();
  random_failed_ = true;  // suppresses errors of later draws
  if (!generator || *generator != kPhilox) {
    report(Diag::random_generator, args["generator"].given ? args["generator"].span : args.span,
           generator ? *generator : describe(args["generator"].value))
        .help("generator=\"" + std::string(kPhilox) + "\", the default");
    return {};
  }
  if (parallel_ > 0) {
    report(Diag::random_place, args.span, "T.rng_init", "is in T.Parallel")
        .help("put it before the loop: each thread has one state for all its iterations");
    return {};
  }
  RandomState state;
  state.span = args.span;
  state.key = random_argument(args["seed"].value, args["seed"].span, state, "random_key");
  const Expr ordinal = add(thread_index(0), mul(name_ref(kernel_indices_[0], {DType::i32}),
                                                int_const(kernel_frame_.threads[0])));
  const Value& stream = args["seq"].value;
  state.stream = random_argument(stream.is<None>() ? Value(ordinal) : stream, args["seq"].span,
                                 state, "random_stream");
  state.first = random_argument(args["off"].value, args["off"].span, state, "random_offset");
  if (!state.key || !state.stream || !state.first) return {};
  // Resets the state each time T.rng_init executes, as in a loop.
  auto begin = [&](const char* base) {
    const Symbol name = random_var(base);
    emit(tilelab::assign(name, int_const(0, DType::u64)), args.span);
    return name;
  };
  state.drawn = begin("drawn");
  for (RandomState::Pairs& pairs : state.pairs)
    pairs.waits = begin("waits"), pairs.at = random_var("pair");
  random_ = std::move(state);
  random_failed_ = false;
  return None{};
}

/// The kind of number that the options select; nullopt after an error.
std::optional<RandomKind> Elaborator::random_kind(Arguments& args) {
  if (args.row->data == "word") return RandomKind::word;
  const auto bits = integer_of(args["bit"].value);
  const auto* dist = args["dist"].value.get<std::string>();
  if (!bits || (*bits != 32 && *bits != 64)) {
    report(Diag::random_option, args["bit"].span, "bit",
           bits ? std::to_string(*bits) : describe(args["bit"].value))
        .help("bit=32 gives float32, bit=64 float64");
    return {};
  }
  if (!dist || (*dist != "uniform" && *dist != "normal")) {
    report(Diag::random_option, args["dist"].span, "dist",
           dist ? "\"" + *dist + "\"" : describe(args["dist"].value))
        .help("dist=\"uniform\" or dist=\"normal\"");
    return {};
  }
  if (*dist == "normal") return *bits == 32 ? RandomKind::normal32 : RandomKind::normal64;
  return *bits == 32 ? RandomKind::uniform32 : RandomKind::uniform64;
}

/// Whether the random state is valid here; reports if not.
bool Elaborator::has_random_state(const Arguments& args) {
  const std::string called = "T." + args.row->name;
  if (!random_ && random_failed_) return false;
  if (!random_) {
    report(Diag::random_place, args.span, called, "has no T.rng_init before it")
        .help("add T.rng_init(seed) before it");
    return false;
  }
  auto refuse = [&](const char* why, const char* help) {
    report(Diag::random_place, args.span, called, why)
        .label(random_->span, "initialized here")
        .help(help);
    return false;
  };
  if (random_->region >= 0 && !ir_.active(random_->region))
    return refuse("is after the block whose values its T.rng_init uses",
                  "draw in that block, or pass T.rng_init values of the whole kernel");
  if (parallel_ == 0) return true;
  if (random_->by_thread)
    return refuse(
        "is in T.Parallel, whose iterations may run on any thread, but the arguments of T.rng_init "
        "are known only to single threads",
        "pass T.rng_init arithmetic of thread and block indices, or draw in loops of T.serial over "
        "T.get_thread_binding()");
  const auto outermost =
      std::find_if(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.parallel; });
  if (std::any_of(outermost, loops_.end(),
                  [](const Loop& loop) { return loop.dynamic && !loop.parallel; }))
    return refuse("is in a loop inside T.Parallel",
                  "make that loop a part of the T.Parallel, or put it around the T.Parallel");
  return true;
}

Value Elaborator::on_random_draw(Arguments& args) {
  const auto kind = random_kind(args);
  if (!kind || !need_kernel(args.span, "T." + args.row->name) || !has_random_state(args)) return {};
  const bool normal = *kind == RandomKind::normal32 || *kind == RandomKind::normal64;
  const RandomDraw draw{*kind, ir_.fresh("word", true),
                        normal ? ir_.fresh("second", true) : Symbol()};
  if (parallel_ > 0) {
    if (!batch_thread_) batch_thread_ = ir_.fresh("thread", true);
    batch_.push_back(draw);
    const Substitution here{{Symbol("tid"), name_ref(batch_thread_, {DType::i32})}};
    return hoist(
        random_value(draw, substitute(random_->key, here), substitute(random_->stream, here)),
        args.span);
  }
  const RandomDraws single(*random_, {draw});
  const Expr none = int_const(0, DType::u64), one = int_const(1, DType::u64);
  for (Stmt& stmt : single.names(none)) emit(std::move(stmt), args.span);
  Expr value = hoist(random_value(draw, random_->key, random_->stream), args.span);
  auto made = [&](const char* base) { return ir_.fresh(base, true); };
  for (Stmt& stmt : single.after(one, made)) emit(std::move(stmt), args.span);
  return value;
}

namespace {

/// How many adjacent iterations of its innermost loop a thread executes: as many as fit in a
/// 16-byte vector of every access, if these are contiguous and conditions are uniform over the
/// vector.
class AdjacentIterations {
 public:
  AdjacentIterations(const Parallel& loop, FunctionRef<BufferRef(Symbol)> buffer,
                     FunctionRef<Expr(const Expr&)> inlined)
      : inner_(loop.vars.back()), buffer_(buffer), inlined_(inlined) {
    const int64_t extent = int_value(loop.extents.back()).value_or(1);
    halve_until([&] { return extent % count_ == 0; });
    for_each(
        *loop.body, [&](const Load& load) { access(load.buffer, load.index); },
        [&](const Store& store) { access(store.buffer, lows(store.dims)); },
        [&](const If& branch) { condition(branch.cond); },
        [&](const Select& choice) { condition(choice.cond); });
  }
  int64_t count() const { return count_; }

 private:
  void halve_until(FunctionRef<bool()> fits) {
    while (count_ > 1 && !fits()) count_ /= 2;
  }
  /// Requires that the sum is contiguous in the variable and aligned to a multiple of the count.
  void require_contiguous(const Linear& sum) {
    const int64_t step = sum.coefficient(inner_);
    if (sum.nested(inner_) || (step != 0 && step != 1)) count_ = 1;
    if (step == 0) return;
    halve_until([&] {
      return sum.constant % count_ == 0 &&
             std::all_of(sum.terms.begin(), sum.terms.end(), [&](const Linear::Term& term) {
               const Name* name = as<Name>(term.atom);
               return (name && name->id == inner_) || term.coefficient % count_ == 0;
             });
    });
  }
  void access(Symbol name, const std::vector<Expr>& index) {
    const BufferRef buffer = buffer_(name);
    if (!buffer || buffer->scope == Scope::local) return;
    halve_until([&] { return count_ * bits(buffer->dtype) <= 128; });
    if (buffer->scope == Scope::fragment) return;
    Linear place;
    std::optional<int64_t> below = 1;  // number of elements of the inner dimensions
    for (size_t i = index.size(); i-- > 0;) {
      const bool given = i < buffer->strides.size();
      const auto stride = given ? int_value(buffer->strides[i]) : below;
      const Linear one = linear_of(inlined_(index[i]));
      if (!stride) count_ = 1;  // unknown row starts
      place.add(one, stride.value_or(1));
      const auto extent = int_value(buffer->shape[i]);
      below = below && extent ? std::optional(*below * *extent) : std::nullopt;
    }
    require_contiguous(place);
  }
  void condition(const Expr& given) {
    const Expr e = inlined_(given);
    const Bin* bin = as<Bin>(e);
    if (bin && (bin->op == BinOp::land || bin->op == BinOp::lor)) {
      condition(bin->a);
      return condition(bin->b);
    }
    const bool compares = bin && is_integer(bin->a->type.dtype);
    Linear difference;  // below 0 or not
    if (compares) difference = linear_of(sub(bin->a, bin->b));
    if (compares && (bin->op == BinOp::lt || bin->op == BinOp::ge))
      return require_contiguous(difference);
    if (compares && (bin->op == BinOp::le || bin->op == BinOp::gt)) {
      --difference.constant;
      return require_contiguous(difference);
    }
    if (mentions(e, inner_)) count_ = 1;
  }

  Symbol inner_;
  FunctionRef<BufferRef(Symbol)> buffer_;
  FunctionRef<Expr(const Expr&)> inlined_;
  int64_t count_ = 128;
};

}  // namespace

int64_t Elaborator::parallel_vector(const Parallel& loop) const {
  auto buffer = [&](Symbol name) { return buffer_named(name); };
  auto inlined = [&](const Expr& e) { return inline_lets(e); };
  return AdjacentIterations(loop, buffer, inlined).count();
}

/// Emits an outermost T.Parallel with the words of its draws, then the state updates.
void Elaborator::emit_drawing(Parallel loop, Span span) {
  const std::vector<RandomDraw> batch = std::exchange(batch_, {});
  const Symbol thread = std::exchange(batch_thread_, Symbol());
  const bool nested = any_of(*loop.body, [&](const Parallel& inner) {
    return std::any_of(batch.begin(), batch.end(),
                       [&](const RandomDraw& draw) { return mentions(inner, draw.at); });
  });
  if (nested) {
    report(Diag::random_place, span, "a draw", "is in a T.Parallel inside this one")
        .help("use one T.Parallel over all indices: `for i, j in T.Parallel(m, n)`");
    return;
  }
  int64_t threads = 1;
  for (int64_t extent : kernel_frame_.threads) threads *= extent;
  const ParallelRounds rounds = parallel_rounds(loop, threads, parallel_vector(loop));
  const Substitution here{{Symbol("tid"), name_ref(thread, {DType::i32})}};
  RandomState inside = *random_;
  inside.first = substitute(inside.first, here);
  const Symbol round = ir_.fresh("round", true);
  std::vector<Stmt> body{let(thread, rounds.thread), let(round, rounds.round)};
  for (Stmt& stmt : RandomDraws(inside, batch).names(name_ref(round, {DType::u64})))
    body.push_back(at(span, std::move(stmt)));
  body.push_back(loop.body);
  loop.body = seq(std::move(body));
  if (!reducers_.empty())
    emit_reducing(std::move(loop), span);
  else
    emit(make(std::move(loop)), span);
  auto made = [&](const char* base) { return ir_.fresh(base, true); };
  for (Stmt& stmt : RandomDraws(*random_, batch).after(rounds.rounds, made))
    emit(std::move(stmt), span);
}

/// Removes unused variables of random numbers.
Stmt Elaborator::without_unused_randoms(const Stmt& body) {
  if (random_vars_.empty()) return body;
  std::set<Symbol> read;
  Stmt out = body;
  for (bool changed = true; changed;) {
    read.clear();
    for_each(*out, [&](const Name& name) { read.insert(name.id); });
    changed = false;
    out = rewrite_stmts(out, [&](const Stmt& s) -> Stmt {
      Symbol name;
      if (const Var* var = as<Var>(s)) name = var->name;
      if (const Assign* assign = as<Assign>(s)) name = assign->name;
      const bool idle = name && random_vars_.count(name) && !read.count(name);
      changed |= idle;
      return idle ? nullptr : s;
    });
  }
  return out;
}

/// The numbers of a loop are computed without running it, which requires that all threads have
/// drawn equally often: rejects loops for which this does not hold.
void Elaborator::check_drawing(const Kernel& kernel) {
  const std::set<Symbol> vars = std::exchange(random_vars_, {});
  if (vars.empty()) return;
  const DivergenceAnalysis varying(kernel);
  walk(*kernel.body, [&](const Node& node) {
    if (node.kind != Kind::Parallel) return true;
    const bool divergent = std::any_of(vars.begin(), vars.end(), [&](Symbol name) {
      return varying(name) && mentions(node, name);
    });
    if (divergent)
      report(Diag::random_place, node.span, "a draw in T.Parallel",
             "is among draws that not all threads of the block make")
          .help(
              "let all threads draw, and use the numbers under the condition; or draw in T.serial "
              "loops over T.get_thread_binding()");
    return false;
  });
}

}  // namespace tilelab::elaborate
