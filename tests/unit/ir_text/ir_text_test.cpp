// SPDX-License-Identifier: Apache-2.0
#include "core/ir_text/ir_text.h"

#include <fstream>
#include <iterator>
#include <random>

#include "core/diagnostics/render.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/text/print.h"
#include "core/support/text.h"
#include "tests/unit/ir_text/ir_text_properties.h"
#include "tests/unit/random_ir.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

/// The first line in which two texts differ, for a failure that can be read.
std::string first_difference(const std::string& a, const std::string& b) {
  auto xs = split(a, '\n'), ys = split(b, '\n');
  for (size_t i = 0; i < std::max(xs.size(), ys.size()); ++i) {
    std::string x = i < xs.size() ? xs[i] : "<end>", y = i < ys.size() ? ys[i] : "<end>";
    if (x != y) return "line " + std::to_string(i + 1) + ":\n  " + x + "\n  " + y;
  }
  return "";
}

void expect_round_trip(const FuncRef& func, const std::string& what) {
  std::string text = print(*func);
  Diagnostics sink;
  FuncRef again = read_ir("<round trip>", text, sink);
  if (!again) return test::fail(__FILE__, __LINE__, what + ": " + render(sink).plain());
  std::string second = print(*again);
  if (second != text)
    return test::fail(__FILE__, __LINE__, what + ": " + first_difference(text, second));
  if (!equal(*func, *again) || hash(*func) != hash(*again))
    test::fail(__FILE__, __LINE__, what + ": equal text, but not equal IR");
}

}  // namespace

TEST(ir_text_random_functions_round_trip) {
  for (int i = 0; i < test::less_in_debug(300, 75); ++i)
    expect_round_trip(test::random_func(test::seed() + i),
                      "seed " + std::to_string(test::seed() + i));
}

/// Texts of the worked kernels with a few characters changed.
TEST(ir_text_survives_any_text) {
  std::mt19937_64 random(test::seed());
  int functions = 0;
  for (const char* name : {"vector_add_thread", "gemm_tme_tile", "gemm_tme_flat", "softmax_tile"}) {
    std::ifstream file(std::string(TILELAB_SOURCE_DIR) + "/tests/ir/kernels/" + name + ".py");
    const std::string good{std::istreambuf_iterator<char>(file), {}};
    EXPECT(!good.empty());
    for (int round = 0; round < test::rounds(400); ++round) {
      std::string text = good;
      for (int edits = 1 + static_cast<int>(random() % 3); edits--;) {
        size_t at = random() % text.size();
        if (random() % 3 == 0)
          text[at] = "0123456789[](),:=.abcf_-+*/ \n"[random() % 30];
        else if (random() % 2)
          text.erase(at, random() % 12);
        else
          text.insert(at, good.substr(random() % good.size(), random() % 24));
      }
      std::string broken = test::check_ir_text(text, &functions);
      if (!broken.empty()) test::fail(__FILE__, __LINE__, broken.substr(0, 400) + "\nin\n" + text);
    }
  }
  EXPECT(functions > test::rounds(50));  // not everything may be refused
}
