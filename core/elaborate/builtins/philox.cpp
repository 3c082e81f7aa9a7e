// SPDX-License-Identifier: Apache-2.0
// Arithmetic of random numbers, compatible with cuRAND's device functions. The generator is
// published (Salmon et al., SC 2011); cuRAND's manual describes the conversion of its words.
#include "core/elaborate/builtins/philox.h"

#include <cmath>

namespace tilelab::elaborate {

namespace {

Expr u64(int64_t value) { return int_const(value, DType::u64); }
Expr u64(const Expr& value) { return cast(DType::u64, value); }
Expr name64(Symbol name) { return name_ref(name, {DType::u64}); }

/// The kind of normal numbers: 0 for float32, 1 for float64.
std::optional<size_t> pair_of(RandomKind kind) {
  if (kind == RandomKind::normal32) return 0;
  if (kind == RandomKind::normal64) return 1;
  return {};
}
int64_t words_of_pair(size_t pair) { return pair == 0 ? 2 : 4; }
int64_t plain_words(RandomKind kind) { return pair_of(kind) ? 0 : 1; }

/// x * 2^-bits + 2^-bits / 2, times `factor`: the midpoint of one of 2^bits intervals of (0,
/// factor).
Expr midpoint(const Expr& x, DType dtype, int bits, double factor = 1) {
  const double step = dtype == DType::f32 ? double(float(std::ldexp(1.0, -bits)) * float(factor))
                                          : std::ldexp(factor, -bits);
  return tilelab::call(Intrinsic::fma, {dtype},
                       {cast(dtype, x), float_const(step, dtype), float_const(step / 2, dtype)});
}

}  // namespace

/// How many normal numbers of a kind the first `below` draws of an iteration produce.
int64_t RandomDraws::count(size_t pair, size_t below) const {
  int64_t count = 0;
  for (size_t i = 0; i < below; ++i) count += pair_of(draws_[i].kind) == pair;
  return count;
}

/// Normal numbers of a kind before a draw, counted from the start of the pending pair.
Expr RandomDraws::normals(size_t pair, const Expr& round, size_t draw) const {
  const Expr before = add(mul(round, u64(count(pair, draws_.size()))), u64(count(pair, draw)));
  return add(name64(state_.pairs[pair].waits), before);
}

/// Words consumed before a draw, relative to `first`: equal in all threads that draw together.
Expr RandomDraws::words(const Expr& round, size_t draw) const {
  int64_t all = 0, before = 0;
  for (size_t i = 0; i < draws_.size(); ++i) {
    all += plain_words(draws_[i].kind);
    if (i < draw) before += plain_words(draws_[i].kind);
  }
  Expr sum = add(name64(state_.drawn), add(mul(round, u64(all)), u64(before)));
  for (size_t pair = 0; pair < 2; ++pair) {
    if (count(pair, draws_.size()) == 0) continue;
    const Expr begun = floordiv(add(normals(pair, round, draw), u64(1)), u64(2));
    sum = add(sum, mul(sub(begun, name64(state_.pairs[pair].waits)), u64(words_of_pair(pair))));
  }
  return sum;
}

/// Start of the pair whose second number a draw returns: the previous draw of its kind, possibly in
/// the previous iteration or before the loop.
Expr RandomDraws::pair_before(size_t pair, const Expr& round, size_t draw) const {
  for (size_t i = draw; i-- > 0;)
    if (pair_of(draws_[i].kind) == pair) return words(round, i);
  size_t last = draws_.size();
  while (pair_of(draws_[--last].kind) != pair) {
  }
  const Expr earlier = name64(state_.pairs[pair].at);
  if (is_int(round, 0)) return earlier;
  return select(eq(round, u64(0)), earlier, words(sub(round, u64(1)), last));
}

std::vector<Stmt> RandomDraws::names(const Expr& round) const {
  std::vector<Stmt> out;
  for (size_t i = 0; i < draws_.size(); ++i) {
    const RandomDraw& draw = draws_[i];
    Expr at = words(round, i);
    if (const auto pair = pair_of(draw.kind)) {
      out.push_back(let(draw.second, eq(floormod(normals(*pair, round, i), u64(2)), u64(1))));
      at = select(name_ref(draw.second, {DType::bool_}), pair_before(*pair, round, i), at);
    }
    out.push_back(let(draw.at, add(state_.first, at)));
  }
  return out;
}

std::vector<Stmt> RandomDraws::after(const Expr& rounds,
                                     FunctionRef<Symbol(const char*)> fresh) const {
  // New values depend on old ones, so all are computed before any is assigned.
  std::vector<Stmt> values, out;
  auto becomes = [&](Symbol name, const Expr& value) {
    const Symbol then = fresh("then");
    values.push_back(let(then, value));
    out.push_back(assign(name, name64(then)));
  };
  for (size_t pair = 0; pair < 2; ++pair) {
    if (count(pair, draws_.size()) == 0) continue;
    const auto& waits = state_.pairs[pair];
    // A draw after the last iteration would return the second of the pending pair.
    becomes(waits.at, pair_before(pair, rounds, 0));
    becomes(waits.waits, floormod(normals(pair, rounds, 0), u64(2)));
  }
  becomes(state_.drawn, words(rounds, 0));
  values.insert(values.end(), out.begin(), out.end());
  return values;
}

Expr random_value(const RandomDraw& draw, const Expr& key, const Expr& stream) {
  auto word = [&](int64_t i) {
    return tilelab::call(Intrinsic::philox, {DType::u32},
                         {key, stream, add(name64(draw.at), u64(i))});
  };
  // 53 bits: the upper bits of the second word are used.
  auto long_word = [&](int64_t i) {
    return binary(BinOp::bxor, u64(word(i)), binary(BinOp::shl, u64(word(i + 1)), u64(21)));
  };
  const bool wide = draw.kind == RandomKind::normal64;
  switch (draw.kind) {
    case RandomKind::word: return word(0);
    case RandomKind::uniform32: return midpoint(word(0), DType::f32, 32);
    case RandomKind::uniform64: {  // also from one word; the upper end of each interval
      const Expr step = float_const(std::ldexp(1.0, -32), DType::f64);
      return tilelab::call(Intrinsic::fma, {DType::f64}, {cast(DType::f64, word(0)), step, step});
    }
    case RandomKind::normal32:
    case RandomKind::normal64: break;
  }
  // Box-Muller transform: sqrt(-2 ln u) times sine and cosine of an angle.
  const DType dtype = wide ? DType::f64 : DType::f32;
  const int bits = wide ? 53 : 32;
  const double pi = std::acos(-1.0);
  const Expr u = midpoint(wide ? long_word(0) : word(0), dtype, bits);
  const Expr angle = midpoint(wide ? long_word(2) : word(1), dtype, bits, 2 * pi);
  auto of = [&](Intrinsic f, const Expr& x) { return tilelab::call(f, {dtype}, {x}); };
  const Expr radius = of(Intrinsic::sqrt, mul(float_const(-2, dtype), of(Intrinsic::log, u)));
  const Expr side = select(name_ref(draw.second, {DType::bool_}),
                           of(wide ? Intrinsic::cos : Intrinsic::fast_cos, angle),
                           of(wide ? Intrinsic::sin : Intrinsic::fast_sin, angle));
  return mul(side, radius);
}

ParallelRounds parallel_rounds(const Parallel& loop, int64_t threads, int64_t vector) {
  Expr flat, total = int_const(1, DType::i64);
  for (const Expr& extent : loop.extents) total = mul(total, cast(DType::i64, extent));
  const auto known = int_value(total);
  const DType dtype = known && *known + threads * vector <= INT32_MAX ? DType::i32 : DType::i64;
  for (size_t i = 0; i < loop.vars.size(); ++i) {
    const Expr index = cast(dtype, name_ref(loop.vars[i], loop.extents[i]->type));
    flat = flat ? add(mul(flat, cast(dtype, loop.extents[i])), index) : index;
  }
  total = cast(dtype, total);
  auto number = [dtype](int64_t n) { return int_const(n, dtype); };
  const Expr v = number(vector), once = number(vector * threads);
  ParallelRounds out;
  out.thread = cast(DType::i32, floormod(floordiv(flat, v), number(threads)));
  out.round = u64(add(mul(floordiv(flat, once), v), floormod(flat, v)));
  out.rounds = u64(mul(floordiv(add(total, number(vector * threads - 1)), once), v));
  return out;
}

}  // namespace tilelab::elaborate
