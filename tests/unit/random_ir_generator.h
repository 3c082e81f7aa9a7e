// SPDX-License-Identifier: Apache-2.0
// The generator of random_ir.h: expressions and single statements in random_ir.cpp, structure
// in random_ir_structure.cpp.
#pragma once

#include <deque>
#include <random>

#include "core/ir/build.h"
#include "tests/unit/random_ir.h"

namespace tilelab::test {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  FuncRef func();

 private:
  struct Value {
    Symbol name;
    Type type;
    bool var = false;
  };

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T> T pick(std::initializer_list<T> items) {
    return *(items.begin() + below(static_cast<int64_t>(items.size())));
  }
  Symbol fresh(const char* base) { return std::string(base) + std::to_string(++names_); }
  std::vector<int64_t> ints(int64_t n, int64_t most = 9) {
    std::vector<int64_t> out;
    for (int64_t i = 0; i < n; ++i) out.push_back(below(most));
    return out;
  }
  std::vector<Attr> attrs() {
    std::vector<Attr> out;
    if (chance(20)) out.push_back(attr("panel", below(100) - 50));
    if (chance(20)) out.push_back(attr("flag", chance(50)));
    if (chance(20)) out.push_back(attr("text", "a \"b\"\n\\c\té"));
    if (chance(20)) out.push_back(attr("list", ints(below(3))));
    return out;
  }

  DType any_dtype() { return static_cast<DType>(below(15)); }
  DType index_dtype() { return chance(80) ? DType::i32 : DType::i64; }
  Expr random_constant(DType dtype);
  Expr expr(DType dtype, int depth);
  Expr leaf(DType dtype);
  Expr bool_expr(int depth);
  Expr float_call(DType dtype, int depth);
  Expr index(int depth) { return expr(index_dtype(), depth); }
  std::vector<Expr> exprs(int64_t n) {
    std::vector<Expr> out;
    for (int64_t i = 0; i < n; ++i) out.push_back(index(2));
    return out;
  }
  std::vector<RegionDim> region_dims(const Buffer& b, bool points);
  Expr any_region(bool whole_allowed = true);
  const Buffer& any_buffer() {
    return buffers_[static_cast<size_t>(below(static_cast<int64_t>(buffers_.size())))];
  }
  Layout layout();
  Digits digits();
  Buffer buffer(Scope scope);

  Stmt block(int depth);
  Stmt stmt(int depth);
  Stmt declaration();
  Stmt effect();
  Stmt tile();
  Stmt loop(int depth);
  Stmt structure(int depth);
  Stmt kernel(Symbol map);
  Stmt scoped(int depth, std::vector<Value> values);

  std::mt19937_64 random_;
  int names_ = 0;
  std::vector<Value> values_;
  std::deque<Buffer> buffers_;
  std::vector<Symbol> rings_, maps_;
};

}  // namespace tilelab::test
