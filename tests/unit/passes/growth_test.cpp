// SPDX-License-Identifier: Apache-2.0
// Twice as much of a kernel takes about twice the steps, in every pass: statements, loops, buffers,
// branches, nesting, the terms of one expression. Steps are what asks for an interrupt; no test
// holds a time.
#include <map>

#include "core/ir/text/print.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/support/interrupt.h"
#include "core/targets/target.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

struct Body {
  std::string text;
  int depth = 2;
  Body& operator()(const std::string& line) {
    text += std::string(size_t(depth) * 4, ' ') + line + "\n";
    return *this;
  }
};

std::string kernel(const std::string& body, const std::string& target) {
  return "ir(1, level=\"tile\", target=\"" + target +
         "\")\n"
         "def main(A: tensor(f32, [4096, 4096]), B: tensor(f32, [4096, 4096]), "
         "H: tensor(f16, [4096, 4096]), n: i32):\n"
         "    with kernel(\"k\", grid=[32, 1, 1], block=128) as (bx, by, bz):\n" +
         body;
}

std::string number(int i) { return std::to_string(i); }

std::string stores(int n) {
  Body b;
  for (int i = 0; i < n; ++i) b("A[bx, " + number(i) + "] = B[bx, " + number(i) + "]");
  return b.text;
}

/// Each let uses the one before twice: written out, the last would have 2^n leaves.
std::string lets(int n) {
  Body b;
  b("x = n");
  for (int i = 0; i < n; ++i) {
    const std::string before = i == 0 ? "x" : "x" + number(i - 1);
    b("x" + number(i) + " = " + before + " + " + before + " % " + number(i + 2));
  }
  b("A[bx, x" + number(n - 1) + " % 4096] = 1.0");
  return b.text;
}

/// Values that nothing reads, each of the one before.
std::string unused(int n) {
  Body b;
  b("x0 = B[bx, 0]");
  for (int i = 1; i < n; ++i) b("x" + number(i) + " = x" + number(i - 1) + " * 2.0");
  b("A[bx, 0] = 1.0");
  return b.text;
}

std::string loops(int n) {
  Body b;
  for (int i = 0; i < n; ++i) {
    b("for i in serial(0, " + number(i % 7 + 2) + "):");
    ++b.depth, b("A[bx, i] = B[bx, i + " + number(i) + "]"), --b.depth;
  }
  return b.text;
}

std::string branches(int n) {
  Body b;
  for (int i = 0; i < n; ++i) {
    b("if n > " + number(i) + ":");
    ++b.depth, b("A[bx, " + number(i) + "] = 1.0"), --b.depth;
  }
  return b.text;
}

std::string parallels(int n) {
  Body b;
  b("f = fragment(f32, [256])");
  b("fill(f, 0.0)");
  for (int i = 0; i < n; ++i) {
    b("for i in parallel(256):");
    ++b.depth, b("f[i] = f[i] + B[" + number(i) + ", i]"), --b.depth;
  }
  b("copy(f, A[bx, 0:256])");
  return b.text;
}

/// Buffers of a scope, each a value of the one before, the last first if `backward`.
std::string buffers(int n, const std::string& scope, bool backward) {
  Body b;
  auto name = [&](int i) { return "f" + number(backward ? n - 1 - i : i); };
  for (int i = 0; i < n; ++i) b("f" + number(i) + " = " + scope + "(f32, [256])");
  b("fill(" + name(0) + ", 0.0)");
  for (int i = 1; i < n; ++i) {
    b("for i in parallel(256):");
    ++b.depth, b(name(i) + "[i] = " + name(i - 1) + "[i] + 1.0"), --b.depth;
  }
  b("copy(" + name(n - 1) + ", A[bx, 0:256])");
  return b.text;
}
std::string fragments(int n) { return buffers(n, "fragment", false); }
std::string shared(int n) { return buffers(n, "shared", true); }

/// Tile operations of as many buffers, of which none has to do with another.
std::string independent(int n) {
  Body b;
  for (int i = 0; i < n; ++i) b("s" + number(i) + " = shared(f32, [64])");
  for (int i = 0; i < n; ++i) b("copy(B[" + number(i) + ", 0:64], s" + number(i) + ")");
  for (int i = 0; i < n; ++i) b("copy(s" + number(i) + ", A[" + number(i) + ", 0:64])");
  return b.text;
}

std::string nesting(int n) {
  Body b;
  b("s = shared(f32, [256])");
  for (int i = 0; i < n; ++i) b("for i" + number(i) + " in serial(0, 2):"), ++b.depth;
  b("copy(B[i" + number(n / 2) + ", 0:256], s)");
  b("copy(s, A[i0, 0:256])");
  return b.text;
}

std::string sum(int lo, int hi) {
  const int middle = (lo + hi) / 2;
  if (hi - lo == 1) return "(n + " + number(lo) + ") % 3";
  return "(" + sum(lo, middle) + " + " + sum(middle, hi) + ")";
}
std::string read(int lo, int hi) {
  const int middle = (lo + hi) / 2;
  if (hi - lo == 1) return "B[bx, " + number(lo) + "]";
  return "(" + read(lo, middle) + " + " + read(middle, hi) + ")";
}
std::string expression(int n) {
  Body b;
  b("A[bx, " + sum(0, n) + "] = 1.0");
  return b.text;
}

/// As deep as it is long.
std::string chain(int n) {
  Body b;
  std::string text = "n % 3";
  for (int i = 1; i < n; ++i) text += " + (n + " + number(i) + ") % 3";
  b("A[bx, " + text + "] = 1.0");
  return b.text;
}

/// One statement that reads many elements.
std::string reads(int n) {
  Body b;
  b("A[bx, 0] = " + read(0, n));
  return b.text;
}

/// A loop with prefetched copies, of buffers that are used one by one, or of one name each.
std::string prefetching(int n) {
  Body b;
  for (int i = 0; i < n; ++i) b("s" + number(i) + " = shared(f32, [64])");
  b("f = fragment(f32, [64])");
  b("fill(f, 0.0)");
  b("for k in pipelined(16, stages=2):"), ++b.depth;
  for (int i = 0; i < n; ++i) {
    b("x" + number(i) + " = k * 64 + " + number(64 * (i % 7)));
    b("copy(B[" + number(i) + ", x" + number(i) + ":x" + number(i) + " + 64], s" + number(i) + ")");
  }
  for (int i = 0; i < n; ++i) {
    b("for i in parallel(64):");
    ++b.depth, b("f[i] = f[i] + s" + number(i) + "[i]"), --b.depth;
  }
  --b.depth, b("copy(f, A[bx, 0:64])");
  return b.text;
}

/// Loops of which each prefetches and multiplies.
std::string products(int n) {
  Body b;
  for (int i = 0; i < n; ++i) {
    const std::string s = number(i), a = "a" + s, c = "c" + s;
    b(a + " = shared(f16, [64, 16])");
    b(c + " = fragment(f32, [64, 64])");
    b("fill(" + c + ", 0.0)");
    b("for k in pipelined(16, stages=2):"), ++b.depth;
    b("copy(H[" + number(64 * (i % 8)) + ":" + number(64 * (i % 8) + 64) +
      ", k * 16:k * 16 + 16], " + a + ")");
    b("gemm(" + a + ", " + a + ", " + c + ", tB=True, clear=False)"), --b.depth;
    b("copy(" + c + ", A[" + number(64 * i % 4096) + ":" + number(64 * i % 4096 + 64) + ", 0:64])");
  }
  return b.text;
}

/// Steps of every pass, of the verifier, of printing and reading.
std::map<std::string, double> steps(const std::string& text, const char* target) {
  std::map<std::string, double> out;
  Diagnostics sink;
  auto count = [&](const char* what, auto&& work) {
    const uint64_t before = InterruptScope::polls();
    work();
    out[what] += double(InterruptScope::polls() - before);
  };
  FuncRef func;
  count("read", [&] { func = read_ir("<test>", text, sink); });
  for (const Diagnostic& d : sink.all()) std::printf("  %s\n", d.message.c_str());
  EXPECT(func);
  if (!func) return out;
  for (const PassInfo& pass : all_passes()) {
    PassContext context{*find_target(target), sink, "", {}};
    count(pass.name, [&] { func = pass.run(func, context); });
    Func next(*func);
    next.level = pass.gives, next.after = pass.name;
    func = make(std::move(next));
    count("verify", [&] { EXPECT(verify(*func, limits_of(*func), sink)); });
    if (!sink.ok())
      for (const Diagnostic& d : sink.all()) std::printf("  %s\n", d.message.c_str());
    EXPECT(sink.ok());
    if (!sink.ok()) break;
  }
  return out;
}

/// `most`: how much steeper than a line the steps may grow; the rest is for what is searched.
void expect_growth(const char* what, std::string (*body)(int), int n, double most = 1.25,
                   const char* target = "mp_31") {
  const auto once = steps(kernel(body(n), target), target),
             twice = steps(kernel(body(2 * n), target), target);
  for (const auto& [pass, few] : once) {
    const auto many = twice.find(pass);
    if (many == twice.end()) continue;
    const double growth = many->second / (2 * few + 100);
    if (growth > most)
      std::printf("  %s of %d: %s takes %.0f steps, of %d %.0f\n", what, n, pass.c_str(), few,
                  2 * n, many->second);
    EXPECT(growth <= most);
  }
}

}  // namespace

TEST(growth_of_statements) {
  expect_growth("stores", stores, 100);
  expect_growth("lets", lets, 60);
  expect_growth("unused", unused, 60);
  expect_growth("parallels", parallels, 40);
}

TEST(growth_of_control_flow) {
  expect_growth("loops", loops, 60);
  expect_growth("branches", branches, 60);
  expect_growth("nesting", nesting, 12, 2.1);  // each loop asks what is inside of it
}

TEST(growth_of_buffers) {
  expect_growth("fragments", fragments, 40);
  expect_growth("shared", shared, 40);
  expect_growth("independent", independent, 40);
}

TEST(growth_of_schedules) {
  for (const char* target : {"mp_31", "sm_90a", "sm_80"}) {
    if (test::every > 1 && target != std::string("sm_90a")) continue;
    expect_growth("prefetching", prefetching, 30, 1.25, target);
    expect_growth("products", products, 12, 1.25, target);
  }
}

TEST(growth_of_an_expression) {
  expect_growth("expression", expression, 64);
  expect_growth("reads", reads, 64);
  expect_growth("chain", chain, 64);
}
