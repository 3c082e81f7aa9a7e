// SPDX-License-Identifier: Apache-2.0
// %check: findings of several levels, what is said at the end, the data.
#include "views/report_view.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::test;
using sim::Finding;
using sim::FindingKind;
using sim::RunResult;

namespace {

Span line(uint32_t number) {
  static const FileId file =
      add_source("cell 3", "\n\n\n\n\n\n\n\n    S[j, i] = S[i, j]\n    S[0, 0] = 1\n");
  return {file, number, 5, number, 22};
}

/// A race of two sides in the lines given.
Finding race(uint32_t one, const char* who, uint32_t other, const char* whom) {
  Finding f;
  f.kind = FindingKind::race;
  f.buffer = "S";
  f.element = "[4, 7]";
  f.where = {{line(one), who, "writes"}, {line(other), whom, "reads"}};
  return f;
}

RunResult ran(int64_t blocks, int64_t threads, int64_t accesses, std::vector<Finding> findings) {
  RunResult out;
  out.blocks = blocks;
  out.threads = threads;
  out.accesses = accesses;
  out.findings = std::move(findings);
  return out;
}

Shown report(const std::vector<CheckedRun>& runs) {
  return show_report(runs, sim::Watch::all(), "t#1");
}

}  // namespace

TEST(report_of_a_clean_call_counts) {
  EXPECT_EQ(
      report({{"tile", ran(8, 128, 3000, {})}, {"thread", ran(8, 128, 3072, {})}}).text,
      std::string("t#1:\n  clean: 3072 accesses by 8 blocks of 128 threads at tile and thread "
                  "level\n  no race, no access out of bounds, no uninitialized read\n"));
  EXPECT_EQ(report({{"flat", ran(1, 0, 0, {})}}).text,
            std::string("t#1: clean: 1 block at flat level; no race, no access out of bounds, "
                        "no uninitialized read\n"));
}

TEST(a_run_in_part_is_not_clean) {
  RunResult part = ran(120, 128, 3000, {});
  part.all_blocks = 1024;
  Shown shown = report({{"tile", ran(1024, 128, 9000, {})}, {"thread", part}});
  EXPECT(contains(shown.text, "thread level: ran 120 of 1024 blocks; %check --all runs them all"));
  EXPECT(
      contains(shown.text, "partly checked: 9000 accesses by 120 of 1024 blocks of 128 threads"));
  EXPECT(contains(shown.text, "no uninitialized read in these"));
  EXPECT(contains(shown.json, "\"clean\":false"));
  EXPECT(contains(shown.json, "\"verdict\":\"partly checked\""));
  part.findings = {race(9, "iteration i = 7", 9, "iteration i = 4")};
  EXPECT(contains(report({{"tile", part}}).json, "\"verdict\":\"findings\""));
}

TEST(report_merges_findings_of_levels) {
  Finding tile = race(9, "iteration i = 7, j = 4", 9, "iteration i = 4, j = 7");
  Finding thread = race(9, "thread 3 (warp 0, lane 3)", 9, "thread 9 (warp 0, lane 9)");
  thread.count = 5;
  Finding only = race(9, "thread 3", 10, "thread 4");
  Shown shown =
      report({{"tile", ran(1, 64, 1, {tile})}, {"thread", ran(1, 64, 1, {thread, only})}});
  EXPECT(contains(shown.text,
                  "race: S[4, 7] in block (0, 0)  (tile and thread level, 5 times)\n"
                  "  cell 3, line 9    S[j, i] = S[i, j]    iteration i = 7, j = 4 writes\n"
                  "  cell 3, line 9    S[j, i] = S[i, j]    iteration i = 4, j = 7 reads\n"
                  "help: iterations of T.Parallel run concurrently: write to a second buffer; use "
                  "T.atomic_add for a sum\n"));
  EXPECT(contains(shown.text,
                  "race: S[4, 7] in block (0, 0)  (thread level)\n"
                  "  cell 3, line 9     S[j, i] = S[i, j]    thread 3 writes\n"
                  "  cell 3, line 10    S[0, 0] = 1          thread 4 reads\n"
                  "help: put T.sync_threads() between the two, or write to a second buffer\n"));
  EXPECT(contains(shown.text, "t#1: 2 findings in 1 block at tile and thread level\n"));
  EXPECT(contains(shown.json, "\"levels\":[\"tile\",\"thread\"]"));
  EXPECT(contains(shown.json, "\"clean\":false"));
}

TEST(report_merges_the_two_orders_of_a_race) {
  Finding one = race(9, "thread 3", 10, "thread 4"), other = one;
  std::swap(other.where[0], other.where[1]);
  one.count = 2, other.count = 3;
  std::vector<CheckedRun> runs = {{"thread", ran(1, 64, 1, {one, other})}};
  std::vector<MergedFinding> merged = merge_findings(runs);
  EXPECT_EQ(merged.size(), size_t{1});
  EXPECT_EQ(merged[0].finding.count, int64_t{5});
}

TEST(report_of_one_run_names_no_level_in_findings) {
  Finding f = race(9, "block (0, 0)", 9, "block (1, 0)");
  f.related = {{line(10), "", "declares S"}};
  std::vector<CheckedRun> runs = {{"tile", ran(2, 64, 1, {f})}};
  Shown shown = show_findings(runs);
  EXPECT(contains(shown.text, "race: S[4, 7]\n"));  // of two blocks: in neither
  EXPECT(contains(shown.text, "help: blocks have no order: write to a second buffer; use"));
  f.where[1].verb = "writes";
  EXPECT(contains(
      show_findings(std::vector<CheckedRun>{{"tile", ran(2, 64, 1, {f})}}).text,
      "help: blocks have no order: let each block write separate elements; use T.atomic_add"));
  EXPECT(contains(shown.json,
                  "\"related\":[{\"file\":\"cell 3\",\"line\":10,\"actor\":\"\","
                  "\"verb\":\"declares S\"}]"));
  EXPECT(contains(shown.json, "\"help\":\"blocks have no order"));
}

TEST(report_of_an_output_names_no_block) {
  Finding f;
  f.kind = FindingKind::unwritten;
  f.buffer = "C";
  f.element = "[1000]";
  f.detail = "24 of 1024 elements";
  f.where = {{line(9), "", "declares C"}};
  std::vector<CheckedRun> runs = {{"thread", ran(2, 64, 1, {f})}};
  EXPECT(contains(show_findings(runs).text,
                  "unwritten: C[1000], 24 of 1024 elements\n  cell 3, line 9"));
}

TEST(report_says_which_level_did_not_run) {
  RunResult refused;
  refused.status = RunResult::Status::refused;
  refused.error = "flatten cannot lower a ring yet";
  refused.error_span = line(9);
  Shown shown = report({{"tile", ran(1, 64, 7, {})}, {"thread", refused}});
  EXPECT(contains(shown.text,
                  "thread level: not run: flatten cannot lower a ring yet (cell 3, line 9)\n"));
  EXPECT(
      contains(shown.text, "not checked: 7 accesses by 1 block of 64 threads at tile level alone"));
  EXPECT(!contains(shown.text, "clean"));
  EXPECT(contains(shown.json, "\"clean\":false"));
  EXPECT(contains(shown.json, "\"verdict\":\"not checked\""));
  Shown none = report({{"tile", refused}});
  EXPECT(contains(none.text, "t#1: not run: flatten"));
  EXPECT(contains(none.json, "\"clean\":false"));
}

TEST(report_of_a_sum_names_what_its_buffer_has) {
  Finding f;
  f.kind = FindingKind::race;
  f.buffer = "acc";
  f.where = {{line(9), "iteration i = 0, j = 0", "writes"},
             {line(9), "iteration i = 0, j = 1", "reads"}};
  f.fragment = true;
  Shown fragment = show_findings(std::vector<CheckedRun>{{"tile", ran(1, 64, 1, {f})}});
  EXPECT(contains(fragment.text, "use T.reduce_sum for a sum"));
  EXPECT(!contains(fragment.text, "atomic"));
  f.fragment = false;
  EXPECT(contains(show_findings(std::vector<CheckedRun>{{"tile", ran(1, 64, 1, {f})}}).text,
                  "use T.atomic_add for a sum"));
}

TEST(report_merges_notes_of_levels) {
  RunResult tile = ran(1, 64, 7, {}), thread = ran(1, 64, 7, {});
  tile.notes = {{line(9), {0, 0, 0}, 0, 24}};
  thread.notes = {{line(9), {0, 0, 0}, 0, 24}};
  Shown shown = report({{"flat", tile}, {"thread", thread}});
  EXPECT_EQ(shown.text.find("note: 24"), shown.text.rfind("note: 24"));
  EXPECT(contains(shown.text, "note: 24 accesses outside the tensor, guarded"));
  // Tile level knows a tail from an index that is wrong.
  EXPECT(!contains(report({{"tile", tile}, {"thread", thread}}).text, "note: 24"));
}
