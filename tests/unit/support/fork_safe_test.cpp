// SPDX-License-Identifier: Apache-2.0
#include "core/support/fork_safe.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/support/symbol.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::test;

TEST(children_find_the_names_of_symbols_unlocked) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; !stop; ++n) Symbol(std::to_string(i) + "forked" + std::to_string(n % 5000));
    });
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);  // ends a child that waits
      _exit(Symbol("of the child").str() == "of the child" ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    if (status != 0) break;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}
