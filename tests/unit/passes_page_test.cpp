// SPDX-License-Identifier: Apache-2.0
// docs/passes.md says what the table of passes says; TILELAB_BLESS=1 writes it.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/ir/stages.h"
#include "core/passes/pass.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

std::string passes_reference() {
  std::string out =
      "# Passes\n\nGenerated from `core/passes/passes.def`. Each pass is a pure function; the "
      "order is that of the "
      "table.\nA kernel that does not use the kinds a pass may reassociate computes bit-identical "
      "results before "
      "and after it.\n\n| pass | level | may reassociate | what it does |\n|---|---|---|---|\n";
  for (const PassInfo& pass : all_passes()) {
    std::string level(name(pass.takes));
    if (pass.gives != pass.takes) level += " → " + std::string(name(pass.gives));
    std::string kinds = pass.reassociates[0] ? pass.reassociates : "nothing";
    out +=
        "| `" + std::string(pass.name) + "` | " + level + " | " + kinds + " | " + pass.doc + " |\n";
  }
  return out;
}

}  // namespace

TEST(passes_page) {
  std::string path = std::string(TILELAB_SOURCE_DIR) + "/docs/passes.md";
  if (std::getenv("TILELAB_BLESS")) std::ofstream(path) << passes_reference();
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT(text == passes_reference());
}

TEST(passes_leave_what_the_page_says) {
  std::ifstream file(std::string(TILELAB_SOURCE_DIR) + "/docs/ir.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const PassInfo& pass : all_passes()) {
    const Stage stage = stage_of(pass.name);
    EXPECT(name(stage) == pass.name);
    const std::string row =
        "| `" + std::string(pass.name) + "` | " + std::string(leaves(stage)) + " |\n";
    EXPECT((text.find(row) != text.npos) == !leaves(stage).empty());
  }
}

TEST(passes_chain_levels) {
  Level level = Level::tile;
  for (const PassInfo& pass : all_passes()) {
    EXPECT(pass.takes == level);
    level = pass.gives;
    EXPECT(find_pass(pass.name) == &pass);
  }
  EXPECT(level == Level::flat);
}
