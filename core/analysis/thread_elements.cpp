// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/thread_elements.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "core/analysis/bindings.h"
#include "core/ir/build.h"
#include "core/ir/fold.h"

namespace tilelab {
namespace {

constexpr int64_t kMaxFactor = int64_t{1} << 40;  // sums of numbers below it do not overflow

bool small(int64_t n) { return -kMaxFactor < n && n < kMaxFactor; }

struct Divided {
  Expr inner;
  int64_t by;
};

/// `inner op by` with a positive constant; shifts and masks count as divisions.
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

/// Whether the digits identify the thread: each digit begins where the next lower one ends.
bool identifies_thread(const std::vector<ThreadIndex::Digit>& digits, int64_t threads) {
  int64_t known = 1;  // tid modulo this is known
  for (bool more = true; more && known < threads;) {
    more = false;
    for (const ThreadIndex::Digit& digit : digits) {
      if (known % digit.divisor != 0) continue;
      const int64_t end = digit.modulus == 0 ? threads : digit.divisor * digit.modulus;
      if (end > known) known = end, more = true;
    }
  }
  return known >= threads;
}

}  // namespace

ThreadElements::ThreadElements(const Kernel& kernel, const std::unordered_set<Symbol>& fixed,
                               const Substitution& lets)
    : threads_(kernel.block), fixed_(fixed), strides_(kernel, fixed, lets) {
  std::unordered_set<Symbol> unknown;  // a sibling scope may reuse a loop's name
  for_each(*kernel.body, [&](const StmtNode& node) {
    const For* loop = as<For>(&node);
    const auto lo = loop ? int_value(loop->lo) : std::nullopt;
    const auto hi = loop ? int_value(loop->hi) : std::nullopt;
    if (lo && hi && *lo < *hi && small(*lo) && small(*hi)) {
      auto [at, fresh] = loops_.try_emplace(loop->var, Range{*lo, *hi - 1});
      if (!fresh) at->second = {std::min(at->second.lo, *lo), std::max(at->second.hi, *hi - 1)};
    } else {
      for_each_bound(node, [&](Symbol name) { unknown.insert(name); });
    }
  });
  for (Symbol name : unknown) loops_.erase(name);
  for (const auto& [name, range] : loops_) facts_.set(name, {range.lo, range.hi});
  set_threads(kernel.block);
}

int64_t ThreadElements::set_threads(int64_t threads) {
  facts_.set(Symbol("tid"), {0, threads - 1});
  return std::exchange(threads_, threads);
}

std::optional<ThreadIndex::Digit> ThreadElements::digit(const Expr& atom) const {
  const Name* name = as<Name>(atom);
  if (name && name->id == Symbol("tid")) return ThreadIndex::Digit{0, 1, 0, threads_ - 1};
  if (const auto quotient = divided(atom, BinOp::floordiv, BinOp::shr)) {
    auto inner = digit(quotient->inner);
    if (!inner || inner->divisor > kMaxFactor / quotient->by) return std::nullopt;
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
  if (!inner || inner->lo < 0) return std::nullopt;
  return Range{inner->lo / quotient->by, inner->hi / quotient->by};
}

/// Substitutes a term by its base and adds its step to `out`.
void ThreadElements::expand_stride(const Linear::Term& term, const ThreadStride& stride,
                                   Linear& sum, ThreadIndex& out) const {
  Linear itself;
  itself.terms.push_back(term);
  sum.add(itself, -1);
  sum.add(stride.base, term.coefficient);
  if (stride.step == 0) return;
  std::optional<Range> iterations;
  const auto between = stride.base.is_constant() ? range(term.atom) : std::nullopt;
  if (between)
    iterations = {-floor_div(stride.base.constant - between->lo, stride.step),
                  floor_div(between->hi - stride.base.constant, stride.step)};
  add(term.coefficient * stride.step, iterations, out);
}

/// Adds an unknown multiple, in a range if that is known.
void ThreadElements::add(int64_t coefficient, std::optional<Range> range, ThreadIndex& out) {
  if (range && coefficient < 0) coefficient = -coefficient, range = Range{-range->hi, -range->lo};
  if (!range || coefficient >= 65536 || !small(coefficient * range->lo) ||
      !small(coefficient * range->hi)) {
    out.step = std::gcd(out.step, coefficient);
    return;
  }
  Range& all = out.ranges[coefficient];
  all.lo += range->lo, all.hi += range->hi;
}

ThreadIndex ThreadElements::index(const Expr& index) const {
  ThreadIndex out;
  Linear sum = linear_of(index);
  for (const Linear::Term& term : std::vector(sum.terms)) {
    const Name* name = as<Name>(term.atom);
    const ThreadStride* stride = name ? strides_.of(name->id) : nullptr;
    if (!stride) continue;
    if (!small(term.coefficient) || stride->step > kMaxFactor / std::abs(term.coefficient))
      return {};
    expand_stride(term, *stride, sum, out);
  }
  out.fixed.constant = sum.constant;
  out.known = small(sum.constant);
  for (const Linear::Term& term : sum.terms) {
    if (!small(term.coefficient)) return {};
    if (auto found = digit(term.atom)) {
      found->coefficient = term.coefficient;
      out.digits.push_back(*found);
    } else if (is_made_of(term.atom, fixed_)) {
      out.fixed.terms.push_back(term);
    } else {
      add(term.coefficient, range(term.atom), out);
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
    out.push_back(this->index(simplify_index(e, facts_)));
    any |= out.back().known && !out.back().digits.empty();
  }
  return any ? out : std::vector<ThreadIndex>();
}

namespace {

/// The range of one index part's difference between two accesses to the same element, to be
/// multiplied by `coefficient`.
struct IndexPart {
  int64_t coefficient = 1;
  ThreadIndex::Range range;
  const ThreadIndex::Digit* digit = nullptr;
};

/// The bounded parts, largest coefficient first.
std::vector<IndexPart> index_parts(const ThreadIndex& a, const ThreadIndex& b) {
  std::vector<IndexPart> parts;
  for (const ThreadIndex::Digit& digit : a.digits)
    parts.push_back({std::abs(digit.coefficient), {-digit.most, digit.most}, &digit});
  std::map<int64_t, ThreadIndex::Range> ranges = a.ranges;
  for (const auto& [coefficient, range] : b.ranges)
    ranges[coefficient].lo -= range.hi, ranges[coefficient].hi -= range.lo;
  for (const auto& [coefficient, range] : ranges) parts.push_back({coefficient, range, nullptr});
  std::stable_sort(parts.begin(), parts.end(), [](const IndexPart& x, const IndexPart& y) {
    return x.coefficient > y.coefficient;
  });
  return parts;
}

/// `constant`, the parts from `first` on and a multiple of `step` sum to zero. If the parts cannot
/// reach a nonzero multiple, their sum is zero; if a part outweighs all smaller parts, it is zero
/// too. Adds the digits that must be equal.
void find_equal(const std::vector<IndexPart>& parts, size_t first, int64_t constant, int64_t step,
                std::vector<ThreadIndex::Digit>& equal) {
  ThreadIndex::Range rest{constant, constant};
  const auto size = [&] { return std::max(std::abs(rest.lo), std::abs(rest.hi)); };
  for (size_t i = first; i < parts.size(); ++i)
    rest.lo += parts[i].coefficient * parts[i].range.lo,
        rest.hi += parts[i].coefficient * parts[i].range.hi;
  if (step != 0) {  // reduced modulo the step
    const int64_t by = floor_div(floor_div(rest.lo + rest.hi, 2) + step / 2, step) * step;
    rest.lo -= by, rest.hi -= by;
    if (size() >= step) return;
  }
  for (size_t i = first; i < parts.size(); ++i) {
    rest.lo -= parts[i].coefficient * parts[i].range.lo;
    rest.hi -= parts[i].coefficient * parts[i].range.hi;
    if (size() >= parts[i].coefficient) return;
    if (parts[i].digit) equal.push_back(*parts[i].digit);
  }
}

}  // namespace

bool threads_disjoint(const std::vector<ThreadIndex>& before, const std::vector<ThreadIndex>& now,
                      int64_t threads) {
  if (before.empty() || before.size() != now.size()) return false;
  std::vector<ThreadIndex::Digit> equal;  // in threads that access the same element
  for (size_t d = 0; d < now.size(); ++d) {
    const ThreadIndex &a = before[d], &b = now[d];
    if (!a.known || !b.known || a.digits != b.digits) continue;
    Linear difference = a.fixed;
    difference.add(b.fixed, -1);
    int64_t step = std::gcd(a.step, b.step);
    for (const Linear::Term& term : difference.terms) step = std::gcd(step, term.coefficient);
    // A part with a large step can be treated as an unknown multiple or by its bounds; try both.
    const std::vector<IndexPart> parts = index_parts(a, b);
    for (size_t first = 0; first < parts.size(); ++first) {
      find_equal(parts, first, difference.constant, step, equal);
      step = std::gcd(step, parts[first].coefficient);
    }
  }
  return identifies_thread(equal, threads);
}

}  // namespace tilelab
