// SPDX-License-Identifier: Apache-2.0
// L0: good IR passes, and each rule has IR that breaks it.
#include "tests/emulation/lint.h"

#include <functional>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"
#include "tests/codegen/flat_ir.h"
#include "tests/codegen/harness.h"

using namespace tilelab;
using namespace tilelab::test;

static const Target& mp_31() { return *find_target("mp_31"); }

TEST(lint_passes_good_kernels) {
  for (const Func& f : {flat_add(), flat_softmax(), flat_gemm(256, 256, 320)})
    for (const std::string& complaint : codegen::lint(f, mp_31())) fail("lint", 0, complaint);
}

/// The GEMM with one integer constant or intrinsic call changed by `edit`.
static std::string complaint(const std::function<Expr(const Expr&)>& edit) {
  Func f = flat_gemm(256, 256, 320);
  f.body = rewrite_exprs(f.body, [&](const Expr& e) { return edit(e); });
  const auto all = codegen::lint(f, mp_31());
  return all.empty() ? "" : all[0];
}

static std::string with_call(Intrinsic id, const std::function<void(Call&)>& change,
                             int which = 0) {
  int seen = 0;
  return complaint([&](const Expr& e) -> Expr {
    const Call* call = as<Call>(e);
    if (!call || call->intrinsic != id || seen++ != which) return e;
    Call copy(*call);
    change(copy);
    return make(std::move(copy));
  });
}

static void expect(const std::string& got, const char* part) {
  if (got.find(part) == std::string::npos)
    fail("lint", 0, std::string("expected: ") + part + "\n    got: " + got);
}

TEST(lint_barriers) {
  expect(with_call(Intrinsic::bar_reserve, [](Call& c) { c.args[0] = num(70); }), "70 barriers");
  expect(with_call(Intrinsic::bar_reserve, [](Call& c) { c.args[0] = num(5); }),
         "barrier ids 6..6 of 1..5");
  expect(with_call(Intrinsic::bar_reserve, [](Call& c) { c.args[0] = num(7); }),
         "barrier 7 is reserved");
  expect(with_call(Intrinsic::bar_init, [](Call& c) { c.args[0] = var("s"); }), "barrier ids 0..0");
  expect(with_call(
             Intrinsic::bar_init, [](Call& c) { c.args[1] = num(256); }, 1),
         "256 warps of 12");
  expect(with_call(
             Intrinsic::bar_init, [](Call& c) { c.args[0] = num(1) + var("s"); }, 1),
         "initialized twice");
  expect(with_call(Intrinsic::block_sync, [](Call& c) { c.attrs.clear(); }),
         "before a full block sync");
  expect(with_call(Intrinsic::bar_wait, [](Call& c) { c.args[0] = num(7); }), "ids 7..7");
  expect(with_call(Intrinsic::bar_expect, [](Call& c) { c.args[1] = num(24576); }),
         "24576 bytes are announced, but the boxes deliver 32768");
}

/// A barrier by number that the GEMM's arrivals come to, with the attributes as given.
static std::string by_number(std::vector<Attr> attrs, const Target& target) {
  Func f = flat_gemm(256, 256, 320);
  f.body = rewrite_exprs(f.body, [&](const Expr& e) -> Expr {
    const Call* call = as<Call>(e);
    return call && call->intrinsic == Intrinsic::bar_arrive
               ? tilelab::call(Intrinsic::named_arrive, {}, {num(1)}, attrs)
               : e;
  });
  const auto all = codegen::lint(f, target);
  return join(all, "\n");
}

TEST(lint_barriers_by_number) {
  expect(by_number({attr("threads", 256)}, mp_31()), "named_arrive has no barrier");
  expect(by_number({attr("threads", 256), attr("id", 40)}, mp_31()),
         "barrier 40 is never initialized");
  expect(by_number({attr("threads", 250), attr("id", 1)}, mp_31()), "which are not whole warps");
  const Target& sm_80 = *find_target("sm_80");
  expect(by_number({attr("threads", 250)}, sm_80), "a barrier for 250 threads of 384");
  EXPECT(by_number({attr("threads", 256)}, sm_80).find("a barrier for") == std::string::npos);
}

TEST(lint_engine_and_matrix) {
  expect(with_call(Intrinsic::tma_load, [](Call& c) { c.attrs[1] = attr("granule", 8); }),
         "granule of 8");
  expect(with_call(Intrinsic::tma_load,
                   [](Call& c) {
                     c.attrs[0] = attr("box", std::vector<int64_t>{256, 32});
                   }),
         "512 bytes wide");
  expect(with_call(Intrinsic::tma_load, [](Call& c) { c.args[0] = c.args[0] + num(64); }),
         "multiple of 64 bytes only");
  expect(with_call(Intrinsic::sqmma, [](Call& c) { c.attrs[0] = attr("shape", "m96n64k64"); }),
         "no shape m96n64k64");
  expect(with_call(Intrinsic::sqmma, [](Call& c) { c.attrs[0] = attr("shape", "m128n64k48"); }),
         "for f16");
  expect(with_call(Intrinsic::sqmma, [](Call& c) { c.attrs[0] = attr("shape", "m64n64k64"); }),
         "32 expected");
  expect(with_call(Intrinsic::sqmma, [](Call& c) { c.args[1] = c.args[1] + num(2 << 18); }),
         "pitch code 7");
  expect(with_call(Intrinsic::sqmma, [](Call& c) { c.args[2] = c.args[2] + num(49152); }),
         "of 98304 bytes");
}

TEST(lint_launch_and_memory) {
  auto first = [](const Func& f) {
    const auto all = codegen::lint(f, mp_31());
    return all.empty() ? std::string() : all[0];
  };
  auto with_kernel = [](Func f, const std::function<void(Kernel&)>& change) {
    f.body = rewrite(
        f.body, [](const Expr& e) { return e; },
        [&](const Stmt& s) -> Stmt {
          const Kernel* k = as<Kernel>(s);
          if (!k) return s;
          Kernel copy(*k);
          change(copy);
          return make(std::move(copy));
        });
    return f;
  };
  expect(first(with_kernel(flat_add(), [](Kernel& k) { k.block = 2048; })), "2048 threads");
  expect(first(with_kernel(flat_gemm(256, 256, 64), [](Kernel& k) { k.block = 320; })),
         "not a multiple of 128");
  expect(first(with_kernel(flat_gemm(256, 256, 64), [](Kernel& k) { k.smem = 200000; })),
         "at most 196608");
  expect(first(with_kernel(flat_softmax(), [](Kernel& k) { k.smem = 60; })),
         "red1 reaches to byte 64 of 60");
}
