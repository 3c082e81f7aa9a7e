// SPDX-License-Identifier: Apache-2.0
// Variables from outside of a T.Parallel that its iterations assign, at tile level.
#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

/// y[i] as the body says, for x[i] = i - 40 and 100 iterations, several chunks long.
std::vector<int32_t> run(const std::string& body) {
  const std::string text = R"text(ir(1, level="tile", target="mp_31")
def main(X: tensor(i32, [1200]), Y: tensor(i32, [1200])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        v = var(i32, 7)
        w = var(i32, 100)
)text" + body;
  std::vector<int32_t> x(1200), y(1200, -1);
  for (int i = 0; i < 1200; ++i) x[size_t(i)] = i - 40;
  FuncRef f = read_kernel("<carried>", text);
  if (!f) return y;
  sim::Argument args[] = {sim::tensor_argument(DType::i32, {1200}, x.data()),
                          sim::tensor_argument(DType::i32, {1200}, y.data())};
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  sim::RunResult r = sim::run(*f, args, options);
  if (!r.ok()) fail("<carried>", int(r.error_span.line), describe(r));
  return y;
}

template <class F> void expect_each(const std::string& body, F&& want) {
  const std::vector<int32_t> y = run(body);
  for (int i = 0; i < 1200; ++i)
    if (y[size_t(i)] != want(i)) {
      fail("<carried>", i, body + "gives " + std::to_string(y[size_t(i)]));
      return;
    }
}

}  // namespace

TEST(carried_variables_are_assigned_by_iterations) {
  expect_each(
      "        for i in parallel(1200):\n            v = X[i] * 2\n            Y[i] = v + w\n",
      [](int i) { return (i - 40) * 2 + 100; });
}

TEST(carried_variables_keep_their_value_where_no_branch_assigns) {
  expect_each(
      "        for i in parallel(1200):\n            if X[i] > 0:\n                v = X[i]\n"
      "                if X[i] > 500:\n                    w = v\n            Y[i] = v + w\n",
      [](int i) { return (i > 40 ? i - 40 : 7) + (i > 540 ? i - 40 : 100); });
}

TEST(carried_variables_in_loops_inside_and_around) {
  expect_each(
      "        for r in serial(3):\n            v = r\n            for i in parallel(1200):\n"
      "                for k in serial(4):\n                    v = v + X[i]\n"
      "                Y[i] = v\n",
      [](int i) { return 2 + 4 * (i - 40); });
}

TEST(carried_memory_of_threads_is_of_each_iteration) {
  expect_each(
      "        own = local(i32, [2])\n        for i in parallel(1200):\n"
      "            own[0] = X[i]\n            for k in serial(2):\n                own[k] = X[i] + "
      "k\n"
      "            mine = local(i32, [1])\n            mine[0] = own[1] + own[0]\n"
      "            Y[i] = mine[0]\n",
      [](int i) { return 2 * (i - 40) + 1; });
}

TEST(carried_variables_have_the_last_value_after_the_loop) {
  expect_each(
      "        for i in parallel(1200):\n            v = X[i]\n"
      "        for i in parallel(1200):\n            Y[i] = v\n",
      [](int) { return 1199 - 40; });
}
