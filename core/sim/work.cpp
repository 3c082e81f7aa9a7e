// SPDX-License-Identifier: Apache-2.0
#include "core/sim/work.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab::sim {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kLaunch = 10'000, kBlock = 1'000;  // to compile it; to start one
constexpr double kInstruction = 32;                 // with one lane

class Work {
 public:
  explicit Work(Environment name) : name_(name) {}

  double of(const Stmt& stmt, double lanes) const {
    if (!stmt) return 0;
    switch (stmt->kind) {
      case Kind::Seq: {
        double sum = 0;
        for (const Stmt& s : to<Seq>(stmt).stmts) sum += of(s, lanes);
        return sum;
      }
      case Kind::Kernel:
        return kLaunch + product(to<Kernel>(stmt).grid) * (kBlock + of(to<Kernel>(stmt).body, 1));
      case Kind::For:
        return iterations(to<For>(stmt)) * (8 * each(lanes) + of(to<For>(stmt).body, lanes));
      case Kind::If: {
        const If& branch = to<If>(stmt);
        return alone(*branch.cond, lanes) + of(branch.then_, lanes) + of(branch.else_, lanes);
      }
      case Kind::Parallel: {
        const Parallel& loop = to<Parallel>(stmt);
        return kBlock + of(loop.body, product(loop.extents));
      }
      case Kind::While:
      case Kind::TileLoop:
      case Kind::Role:
      case Kind::Ring:
      case Kind::RingOp: return kUnbounded;
      default: return alone(*stmt, lanes);
    }
  }

 private:
  static double each(double lanes) { return kInstruction + lanes; }
  /// Of an expression, or of a statement without its nested statements.
  double alone(const Node& node, double lanes) const {
    double sum = 0;
    for_each(
        node, [&](const Node&) { sum += each(lanes); },
        [&](const Region& r) { sum += 8.0 * static_cast<double>(elements(r)); },
        [&](const Buffer& b) { sum += product(b.shape); },
        [&](const Gemm& g) { sum += multiply_adds(g); });
    return sum;
  }
  /// M * N * K, from operands of M * K, K * N and M * N elements.
  static double multiply_adds(const Gemm& gemm) {
    double all = 1;
    for (const Expr* operand : {&gemm.a, &gemm.b, &gemm.c})
      all *= static_cast<double>(elements(to<Region>(*operand)));
    return std::sqrt(all);
  }
  double number(const Expr& expr) const {
    auto value = evaluate(expr, name_);
    return value ? static_cast<double>(std::max<int64_t>(*value, 0)) : kUnbounded;
  }
  double product(const std::vector<Expr>& extents) const {
    double out = 1;
    for (const Expr& e : extents) out *= number(e);
    return out;
  }
  double iterations(const For& loop) const {
    if (!loop.steps.empty()) return static_cast<double>(loop.steps.size());
    auto lo = evaluate(loop.lo, name_), hi = evaluate(loop.hi, name_);
    auto step = evaluate(loop.step, name_);
    if (!lo || !hi || !step || *step == 0) return kUnbounded;
    const auto length = static_cast<double>(*hi) - static_cast<double>(*lo);
    return std::max(length / static_cast<double>(*step) + 1, 1.0);
  }

  Environment name_;
};

}  // namespace

double most_work(const Func& func, Environment name) {
  return func.level == Level::tile ? Work(name).of(func.body, 1) : kUnbounded;
}

}  // namespace tilelab::sim
