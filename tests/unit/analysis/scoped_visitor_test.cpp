// SPDX-License-Identifier: Apache-2.0
// The facts that a walk has at a statement, without a copy per statement.
#include "core/analysis/scoped_visitor.h"

#include <map>

#include "core/ir/build.h"
#include "core/ir_text/ir_text.h"
#include "core/support/interrupt.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

/// The range of the first index of each store, by the buffer, and the threads that come there.
class Stores : ScopedVisitor {
 public:
  explicit Stores(const Func& func) : ScopedVisitor(func) { visit(func.body); }
  std::map<std::string, Range> indices;
  std::map<std::string, ThreadRange> threads;

 private:
  void visit(const Stmt& stmt) {
    if (const Store* store = as<Store>(stmt)) {
      indices.insert_or_assign(store->buffer.str(), facts_.range(store->dims[0].lo));
      threads[store->buffer.str()] = threads_;
    }
    each_inside(stmt, [&](const Stmt& s) { visit(s); });
  }
};

FuncRef read(const std::string& body) {
  Diagnostics sink;
  const FuncRef func = read_ir(
      "<test>",
      "ir(1, level=\"tile\", target=\"sm_90a\")\n"
      "def main(A: tensor(f32, [4096]), B: tensor(f32, [4096]), C: tensor(f32, [4096]), n: i32):\n"
      "    with kernel(\"k\", grid=[32, 1, 1], block=256) as (bx, by, bz):\n" +
          body,
      sink);
  for (const Diagnostic& d : sink.all()) std::printf("  %s\n", d.message.c_str());
  return func;
}

}  // namespace

TEST(scopes_end_with_their_statement) {
  const FuncRef func = read(
      "        x = bx * 4\n"
      "        for i in serial(0, 3):\n"
      "            y = x + i\n"
      "            A[y] = 1.0\n"
      "        y = x + 200\n"
      "        B[y] = 1.0\n"
      "        with role(\"some\", 128, 256):\n"
      "            C[tid] = 1.0\n");
  EXPECT(func);
  if (!func) return;
  Stores stores(*func);
  EXPECT(stores.indices.at("A").lo == 0 && stores.indices.at("A").hi == 31 * 4 + 2);
  EXPECT(stores.indices.at("B").lo == 200 && stores.indices.at("B").hi == 31 * 4 + 200);
  EXPECT_EQ(stores.indices.at("C").hi, int64_t(127));
  EXPECT(stores.threads.at("B") == (ThreadRange{0, 256}));
  EXPECT(stores.threads.at("C") == (ThreadRange{0, 128}));
}

TEST(scopes_share_their_facts) {
  constexpr int kNames = 500;
  std::string body;
  for (int i = 0; i < kNames; ++i) {
    body += "        x" + std::to_string(i) + " = bx + " + std::to_string(i) + "\n";
    body += "        for i in serial(0, n):\n            A[x" + std::to_string(i) + "] = 1.0\n";
  }
  const FuncRef func = read(body);
  EXPECT(func);
  if (!func) return;
  const uint64_t before = InterruptScope::polls();  // one for each fact that is copied
  Stores stores(*func);
  EXPECT(InterruptScope::polls() - before < 32 * kNames);
}
