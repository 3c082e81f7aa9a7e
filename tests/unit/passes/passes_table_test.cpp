// SPDX-License-Identifier: Apache-2.0
// The table of passes: names, levels and stages agree.
#include "core/ir/stages.h"
#include "core/passes/pass.h"
#include "tests/unit/test.h"

using namespace tilelab;

TEST(passes_chain_levels) {
  Level level = Level::tile;
  for (const PassInfo& pass : all_passes()) {
    EXPECT(pass.takes == level);
    level = pass.gives;
    EXPECT(find_pass(pass.name) == &pass);
    EXPECT(name(stage_of(pass.name)) == pass.name);
  }
  EXPECT(level == Level::flat);
}
