// SPDX-License-Identifier: Apache-2.0
// Random numbers by a counter-based generator (Philox4x32-10): word n of a thread's stream is a
// function of n. A thread only stores how many words it has drawn, and the number of a draw is
// computed arithmetically, so iterations of T.Parallel may run in any thread and any order.
//
// Normal numbers come in pairs (Box-Muller): the first of a pair draws two words, or four for
// float64, the second is kept for the next draw of its kind.
#pragma once

#include <array>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/linear.h"

namespace tilelab::elaborate {

enum class RandomKind : uint8_t { word, uniform32, uniform64, normal32, normal64 };

/// State created by T.rng_init, in u64. The names are variables at the head of the kernel.
struct RandomState {
  Expr key, stream, first;  // `first`: offset into the stream of the first drawn word
  Symbol drawn;             // words drawn so far
  struct Pairs {
    Symbol waits;  // 1: the second of a pair is pending,
    Symbol at;     // and this is the offset of its words from `first`
  };
  std::array<Pairs, 2> pairs;  // of normal32, of normal64
  Span span;
  int region = -1;         // where its expressions are valid; -1: in the whole kernel
  bool by_thread = false;  // they vary by thread and cannot be recomputed
};

/// One draw of a block of statements. `at`: its first word. `second`: for a normal number, whether
/// it is the second of its pair.
struct RandomDraw {
  RandomKind kind;
  Symbol at, second;
};

/// A sequence of draws that repeats: those of one loop iteration, or a single draw.
class RandomDraws {
 public:
  RandomDraws(const RandomState& state, std::vector<RandomDraw> draws)
      : state_(state), draws_(std::move(draws)) {}

  /// Lets for `at` and `second` of every draw in iteration `round` of a thread.
  std::vector<Stmt> names(const Expr& round) const;
  /// State updates after `rounds` iterations; `fresh` creates names for lets.
  std::vector<Stmt> after(const Expr& rounds, FunctionRef<Symbol(const char*)> fresh) const;

 private:
  Expr normals(size_t pair, const Expr& round, size_t draw) const;
  Expr words(const Expr& round, size_t draw) const;
  int64_t count(size_t pair, size_t below) const;
  Expr pair_before(size_t pair, const Expr& round, size_t draw) const;

  const RandomState& state_;
  std::vector<RandomDraw> draws_;
};

/// The value of a draw whose `at` and `second` are bound; `key` and `stream` of the thread.
Expr random_value(const RandomDraw& draw, const Expr& key, const Expr& stream);

/// TileLang's distribution of T.Parallel iterations over threads: block-cyclic with blocks of
/// `vector` adjacent iterations.
struct ParallelRounds {
  Expr thread, round;  // of an iteration: its thread, and its index within the thread
  Expr rounds;         // iterations per thread
};
ParallelRounds parallel_rounds(const Parallel& loop, int64_t threads, int64_t vector);

}  // namespace tilelab::elaborate
