// SPDX-License-Identifier: Apache-2.0
#include "core/passes/thread_elements.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/ir/build.h"
#include "core/ir/lets.h"

namespace tilelab {
namespace {

constexpr int64_t kMost = int64_t{1} << 40;  // sums of numbers below it do not overflow

bool small(int64_t n) { return -kMost < n && n < kMost; }

struct Divided {
  Expr inner;
  int64_t by;
};

/// `inner op by` with a positive constant; shifts and masks are divisions, too.
std::optional<Divided> divided(const Expr& e, BinOp op, BinOp by_bits) {
  const Bin* bin = as<Bin>(e);
  if (!bin || (bin->op != op && bin->op != by_bits)) return std::nullopt;
  const auto constant = int_value(bin->b);
  if (!constant || *constant < 0) return std::nullopt;
  int64_t by = *constant;
  if (bin->op == BinOp::shr) {
    if (by > 30) return std::nullopt;
    by = int64_t{1} << by;
  } else if (bin->op == BinOp::band) {
    if ((by & (by + 1)) != 0) return std::nullopt;
    ++by;
  }
  if (by < 1 || !small(by)) return std::nullopt;
  return Divided{bin->a, by};
}

/// Whether the digits tell one thread: the lowest first, each begins where the one below ends.
bool tell_thread(const std::vector<ThreadIndex::Digit>& digits, int64_t threads) {
  int64_t told = 1;  // tid % told is known
  for (bool more = true; more && told < threads;) {
    more = false;
    for (const ThreadIndex::Digit& digit : digits) {
      if (told % digit.divisor != 0) continue;
      const int64_t end = digit.modulus == 0 ? threads : digit.divisor * digit.modulus;
      if (end > told) told = end, more = true;
    }
  }
  return told >= threads;
}

}  // namespace

ThreadElements::ThreadElements(const Kernel& kernel, const std::unordered_set<Symbol>& fixed)
    : threads_(kernel.block), fixed_(fixed) {
  std::unordered_set<Symbol> unknown;  // sibling scopes may have a loop's name for something else
  walk(*kernel.body, [&](const Node& node) {
    const For* loop = as<For>(&node);
    const auto lo = loop ? int_value(loop->lo) : std::nullopt;
    const auto hi = loop ? int_value(loop->hi) : std::nullopt;
    if (lo && hi && *lo < *hi && small(*lo) && small(*hi)) {
      auto [at, fresh] = loops_.try_emplace(loop->var, *lo, *hi - 1);
      if (!fresh)
        at->second = {std::min(at->second.first, *lo), std::max(at->second.second, *hi - 1)};
    } else {
      for_each_bound(node, [&](Symbol name) { unknown.insert(name); });
    }
    return group(node.kind) != Group::expr;
  });
  for (Symbol name : unknown) loops_.erase(name);
}

std::optional<ThreadIndex::Digit> ThreadElements::digit(const Expr& atom) const {
  const Name* name = as<Name>(atom);
  if (name && name->id == Symbol("tid")) return ThreadIndex::Digit{0, 1, 0, threads_ - 1};
  if (const auto quotient = divided(atom, BinOp::floordiv, BinOp::shr)) {
    auto inner = digit(quotient->inner);
    if (!inner || inner->divisor > kMost / quotient->by) return std::nullopt;
    if (inner->modulus % quotient->by != 0) return std::nullopt;
    inner->divisor *= quotient->by, inner->modulus /= quotient->by, inner->most /= quotient->by;
    return inner;
  }
  if (const auto rest = divided(atom, BinOp::floormod, BinOp::band)) {
    auto inner = digit(rest->inner);
    if (!inner || inner->most < rest->by) return inner;
    if (inner->modulus % rest->by != 0) return std::nullopt;
    inner->modulus = rest->by, inner->most = rest->by - 1;
    return inner;
  }
  return std::nullopt;
}

std::optional<ThreadElements::Range> ThreadElements::range(const Expr& atom) const {
  if (const Name* name = as<Name>(atom)) {
    const auto loop = loops_.find(name->id);
    return loop == loops_.end() ? std::nullopt : std::optional(loop->second);
  }
  if (const auto rest = divided(atom, BinOp::floormod, BinOp::band)) return Range{0, rest->by - 1};
  const auto quotient = divided(atom, BinOp::floordiv, BinOp::shr);
  const auto inner = quotient ? range(quotient->inner) : std::nullopt;
  if (!inner || inner->first < 0) return std::nullopt;
  return Range{inner->first / quotient->by, inner->second / quotient->by};
}

bool ThreadElements::is_fixed(const Expr& atom) const {
  bool fixed = true;
  walk(*atom, [&](const Node& node) {
    const Name* name = as<Name>(&node);
    fixed = fixed && (name ? fixed_.count(name->id) > 0
                           : node.kind == Kind::Const || node.kind == Kind::Bin);
    return fixed;
  });
  return fixed;
}

ThreadIndex ThreadElements::index(const Expr& index) const {
  ThreadIndex out;
  const Linear sum = linear_of(index);
  out.fixed.constant = 0, out.lo = out.hi = sum.constant;
  out.known = small(sum.constant);
  for (const Linear::Term& term : sum.terms) {
    if (!small(term.coefficient)) return {};
    if (auto found = digit(term.atom)) {
      found->coefficient = term.coefficient;
      out.digits.push_back(*found);
    } else if (is_fixed(term.atom)) {
      out.fixed.terms.push_back(term);
    } else if (const auto between = range(term.atom);
               between && std::abs(term.coefficient) < 65536) {
      const int64_t a = term.coefficient * between->first, b = term.coefficient * between->second;
      out.lo += std::min(a, b), out.hi += std::max(a, b);
      out.known = out.known && small(out.lo) && small(out.hi);
    } else {
      out.step = std::gcd(out.step, term.coefficient);
    }
  }
  std::sort(out.digits.begin(), out.digits.end(), [](const auto& a, const auto& b) {
    return std::tuple(std::abs(b.coefficient), b.coefficient, a.divisor, a.modulus) <
           std::tuple(std::abs(a.coefficient), a.coefficient, b.divisor, b.modulus);
  });
  return out;
}

std::vector<ThreadIndex> ThreadElements::indices(const std::vector<Expr>& index) const {
  std::vector<ThreadIndex> out;
  bool any = false;
  for (const Expr& e : index) {
    out.push_back(this->index(e));
    any |= out.back().known && !out.back().digits.empty();
  }
  return any ? out : std::vector<ThreadIndex>();
}

bool threads_apart(const std::vector<ThreadIndex>& before, const std::vector<ThreadIndex>& now,
                   int64_t threads) {
  if (before.empty() || before.size() != now.size()) return false;
  std::vector<ThreadIndex::Digit> equal;  // in threads that touch one element
  for (size_t d = 0; d < now.size(); ++d) {
    const ThreadIndex &a = before[d], &b = now[d];
    if (!a.known || !b.known || a.digits != b.digits) continue;
    Linear difference = a.fixed;
    difference.add(b.fixed, -1);
    int64_t step = std::gcd(a.step, b.step);
    for (const Linear::Term& term : difference.terms) step = std::gcd(step, term.coefficient);
    // The sums are equal: what is no multiple of the step can't make one up, and a digit differs
    // only by what the smaller ones and the rest make up.
    int64_t rest = std::max(std::abs(a.lo - b.hi), std::abs(a.hi - b.lo));
    for (const ThreadIndex::Digit& digit : a.digits)
      rest += std::abs(digit.coefficient) * digit.most;
    if (step != 0 && rest >= step) continue;
    for (const ThreadIndex::Digit& digit : a.digits) {
      rest -= std::abs(digit.coefficient) * digit.most;
      if (rest >= std::abs(digit.coefficient)) break;
      equal.push_back(digit);
    }
  }
  return tell_thread(equal, threads);
}

}  // namespace tilelab
