// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/pass.h"
#include "core/targets/target.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

Buffer shared_bytes(Symbol name, int64_t bytes, Swizzle swizzle = {}, Symbol ring = {}) {
  Buffer b;
  b.name = name, b.scope = Scope::shared, b.dtype = DType::u8, b.swizzle = swizzle, b.ring = ring;
  b.shape = {int_const(bytes)};
  return b;
}
Stmt fill(const Buffer& buffer) {
  Fill f;
  f.dst = whole(buffer), f.value = number(0, buffer.dtype);
  return make(std::move(f));
}
Stmt copy(const Buffer& src, const Buffer& dst) {
  Copy c;
  c.src = whole(src), c.dst = whole(dst), c.by = CopyBy::simt;
  return make(std::move(c));
}

struct Planned {
  FuncRef func;
  Diagnostics diagnostics;
  int64_t at(Symbol name) const { return buffers_of(*func).at(name)->at; }
  int64_t smem() const { return to<Kernel>(to<Seq>(func->body).stmts[0]).smem; }
};

Planned plan(std::vector<Stmt> stmts) {
  Kernel kernel;
  kernel.name = "k", kernel.grid = {int_const(1), int_const(1), int_const(1)};
  kernel.body = seq(std::move(stmts));
  Func func;
  func.name = "f";
  func.body = seq({make(std::move(kernel))});
  Planned result;
  PassContext context{*find_target("mp_31"), result.diagnostics, ""};
  result.func = plan_shared_memory(make(std::move(func)), context);
  return result;
}

Stmt declare(const Buffer& b) { return make(Buffer(b)); }

}  // namespace

TEST(plan_shared_memory_small_buffers_do_not_share) {
  Buffer a = shared_bytes("a", 24), b = shared_bytes("b", 100);
  Planned p = plan({declare(a), declare(b), fill(a), fill(b)});
  EXPECT_EQ(p.at("a"), int64_t(0));
  EXPECT_EQ(p.at("b"), int64_t(32));
  EXPECT_EQ(p.smem(), int64_t(132));
}

TEST(plan_shared_memory_aligns_swizzled_buffers) {
  Buffer a = shared_bytes("a", 100), b = shared_bytes("b", 8192, {16, 256, 15}),
         c = shared_bytes("c", 2048, {32, 256, 7});
  Planned p = plan({declare(a), declare(b), declare(c), fill(a), fill(b), fill(c)});
  EXPECT_EQ(p.at("b") % 4096, int64_t(0));
  EXPECT_EQ(p.at("c") % 2048, int64_t(0));
  EXPECT_EQ(p.smem(), int64_t(8192 + 2048 + 100));  // the least strict comes last: no gaps
}

TEST(plan_shared_memory_shares_when_space_is_short) {
  Buffer a = shared_bytes("a", 60000), b = shared_bytes("b", 60000), c = shared_bytes("c", 50000);
  Planned p = plan({declare(a), declare(b), declare(c), fill(a), copy(a, b), fill(c), copy(b, c)});
  EXPECT_EQ(p.at("a"), int64_t(0));
  EXPECT(p.at("b") >= 60000);
  EXPECT_EQ(p.at("c"), int64_t(0));  // a is dead by then
  EXPECT_EQ(p.smem(), int64_t(120000));
}

TEST(plan_shared_memory_loops_keep_what_they_use) {
  Buffer a = shared_bytes("a", 60000), b = shared_bytes("b", 60000), c = shared_bytes("c", 60000);
  // a is read in the next iteration, after c was written: none of the three may share.
  Stmt loop = for_loop("i", int_const(0), int_const(4), seq({copy(a, b), fill(c), copy(c, b)}));
  Planned p = plan({declare(a), declare(b), declare(c), fill(a), loop});
  EXPECT_EQ(p.smem(), int64_t(180000));
  // Declared inside, c and d live for one iteration, one after the other.
  Buffer d = shared_bytes("d", 60000);
  Stmt inner =
      for_loop("i", int_const(0), int_const(4), seq({declare(c), declare(d), fill(c), fill(d)}));
  Planned q = plan({declare(a), fill(a), inner, fill(a)});
  EXPECT_EQ(q.smem(), int64_t(120000));
  EXPECT_EQ(q.at("c"), q.at("d"));
}

TEST(plan_shared_memory_rings_share_for_more_blocks_and_roles_do_not) {
  Buffer ring = shared_bytes("ring", 100000, {}, "ring"), small = shared_bytes("small", 20000);
  EXPECT_EQ(plan({declare(ring), declare(small), fill(ring), fill(small)}).smem(), int64_t(120000));
  Buffer a = shared_bytes("a", 60000, {}, "ring"), b = shared_bytes("b", 60000);
  EXPECT_EQ(plan({declare(a), declare(b), fill(a), fill(b)}).smem(), int64_t(60000));
  Buffer c = shared_bytes("c", 60000);
  Role producer, consumer;
  producer.name = "producer", producer.lo = 0, producer.hi = 32, producer.body = fill(b);
  consumer.name = "consumer", consumer.lo = 32, consumer.hi = 128, consumer.body = fill(c);
  EXPECT_EQ(
      plan({declare(b), declare(c), make(std::move(producer)), make(std::move(consumer))}).smem(),
      int64_t(120000));
}

TEST(plan_shared_memory_views_count_as_uses) {
  Buffer a = shared_bytes("a", 60000), b = shared_bytes("b", 60000);
  View view;
  view.name = "v", view.buffer = "a", view.dtype = DType::u8, view.shape = {int_const(60000)};
  Copy late;
  late.src = region("v", DType::u8, {slice(int_const(0), 60000)}), late.dst = whole(b);
  EXPECT_EQ(
      plan({declare(a), make(View(view)), declare(b), fill(a), fill(b), make(std::move(late))})
          .smem(),
      int64_t(120000));
}

TEST(plan_shared_memory_says_what_does_not_fit) {
  Buffer a = shared_bytes("a", 120000), b = shared_bytes("b", 120000);
  Planned p = plan({declare(a), declare(b), fill(a), copy(a, b)});
  EXPECT_EQ(p.diagnostics.errors(), 1);
  EXPECT_EQ(p.diagnostics.all().front().message,
            std::string("kernel needs 240000 bytes of shared memory; a block of mp_31 has 196608"));
}
