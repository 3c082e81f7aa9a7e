// SPDX-License-Identifier: Apache-2.0
// Random numbers. Word n of a thread's stream is a function of n (Philox4x32-10), so what a thread
// has to remember is how many words it has drawn, and which number a draw gives is arithmetic:
// T.Parallel's iterations may run anywhere and in any order.
//
// Normal numbers come in pairs (Box and Muller): the first of a pair draws two words, or four for
// float64, the second waits for the next draw of its kind.
#pragma once

#include <array>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/linear.h"

namespace tilelab::elaborate {

enum class RandomKind : uint8_t { word, uniform32, uniform64, normal32, normal64 };

/// What T.rng_init started, in u64. The names are variables at the head of the kernel.
struct RandomState {
  Expr key, stream, first;  // `first`: words of the stream in front of those that are drawn
  Symbol drawn;             // words so far
  struct Pairs {
    Symbol waits;  // 1: the second of a pair has not been drawn yet,
    Symbol at;     // and these are its words, counted from `first`
  };
  std::array<Pairs, 2> pairs;  // of normal32, of normal64
  Span span;
  int region = -1;         // where its expressions mean something; -1: in the whole kernel
  bool by_thread = false;  // they depend on the thread in a way that only the thread knows
};

/// One draw of a block of statements. `at`: the first of its words. `second`: of a normal number,
/// whether it is the second of its pair.
struct RandomDraw {
  RandomKind kind;
  Symbol at, second;
};

/// Draws that follow one another, again and again: those of one iteration of a loop, or one alone.
class RandomDraws {
 public:
  RandomDraws(const RandomState& state, std::vector<RandomDraw> draws)
      : state_(state), draws_(std::move(draws)) {}

  /// What `at` and `second` of every draw are in round `round` of a thread.
  std::vector<Stmt> names(const Expr& round) const;
  /// What the thread remembers after `rounds` rounds; `fresh` makes names for lets.
  std::vector<Stmt> after(const Expr& rounds, FunctionRef<Symbol(const char*)> fresh) const;

 private:
  Expr normals(size_t pair, const Expr& round, size_t draw) const;
  Expr words(const Expr& round, size_t draw) const;
  int64_t count(size_t pair, size_t below) const;
  Expr pair_before(size_t pair, const Expr& round, size_t draw) const;

  const RandomState& state_;
  std::vector<RandomDraw> draws_;
};

/// The value of a draw, whose `at` and `second` are bound; `key` and `stream` as the thread has
/// them.
Expr random_value(const RandomDraw& draw, const Expr& key, const Expr& stream);

/// The iterations of a T.Parallel loop as TileLang spreads them over threads: `vector` neighbours
/// each, then the next thread, and round again.
struct ParallelRounds {
  Expr thread, round;  // of an iteration: which thread has it, as which of its iterations
  Expr rounds;         // how many a thread has
};
ParallelRounds parallel_rounds(const Parallel& loop, int64_t threads, int64_t vector);

}  // namespace tilelab::elaborate
