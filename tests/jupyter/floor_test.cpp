// SPDX-License-Identifier: Apache-2.0
// The parts of the jupyter floor that need no sockets.
#include <string>

#include "jupyter/abort_rule.h"
#include "jupyter/bundle.h"
#include "jupyter/dates.h"
#include "jupyter/history_query.h"
#include "jupyter/install.h"
#include "jupyter/outbox.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::jupyter;

TEST(dates_are_read_with_fraction_and_zone) {
  EXPECT_EQ(parse_iso_date("1970-01-01T00:00:10Z").value(), 10.0);
  EXPECT_EQ(parse_iso_date("1970-01-01T01:00:00.5+01:00").value(), 0.5);
  EXPECT_EQ(parse_iso_date("1970-01-01T00:00:00.25-00:30").value(), 1800.25);
  EXPECT(!parse_iso_date("yesterday"));
}

TEST(dates_are_written_with_all_their_zeros) {
  for (int i = 0; i < 1000; ++i) {
    std::string date = iso_date();
    EXPECT_EQ(date.size(), std::string("2026-01-01T00:00:00.000000Z").size());
    EXPECT_EQ(date.back(), 'Z');
  }
}

TEST(abort_rule_takes_what_was_sent_before_the_failure_was_known) {
  AbortRule rule;
  rule.started("me", "2026-01-01T00:00:00.000Z");
  EXPECT(!rule.aborts("me", "2026-01-01T00:00:00.001Z", true));  // nothing failed yet
  rule.failed(0.5);
  EXPECT(rule.aborts("me", "2026-01-01T00:00:00.400Z", false));
  EXPECT(!rule.aborts("me", "2026-01-01T00:00:00.600Z", false));
  EXPECT(rule.aborts("me", "2026-01-01T00:00:00.600Z", true));
  EXPECT(!rule.aborts("other", "2026-01-01T00:00:00.400Z", true));
  rule.started("me", "2026-01-01T00:00:01.000Z");
  EXPECT(!rule.aborts("me", "2026-01-01T00:00:00.400Z", true));
}

static const History kHistory = {
    {1, 1, "a = 1", ""}, {1, 2, "b = 2", ""}, {3, 1, "a = 1", ""}, {4, 1, "print(a)\nx", "1"}};

static std::string lines_of(const History& entries) {
  std::string text;
  for (const auto& entry : entries)
    text += std::to_string(entry.session) + ":" + std::to_string(entry.line) + " ";
  return text;
}

TEST(history_is_selected_by_tail_range_and_glob) {
  EXPECT_EQ(lines_of(history_tail(kHistory, 2)), "3:1 4:1 ");
  EXPECT_EQ(lines_of(history_tail(kHistory, 99)), "1:1 1:2 3:1 4:1 ");
  EXPECT_EQ(lines_of(history_tail(kHistory, -1)), "");
  History current = {kHistory.back()};
  current.front().session = 0;  // as a session numbers its own entries
  EXPECT_EQ(lines_of(history_range(kHistory, current, 0, 1, 9)), "0:1 ");
  EXPECT_EQ(lines_of(history_range(kHistory, current, -1, 1, 9)), "3:1 ");
  EXPECT_EQ(lines_of(history_range(kHistory, current, -2, 2, 3)), "1:2 ");
  EXPECT_EQ(lines_of(history_range(kHistory, current, -3, 1, 9)), "");
  EXPECT_EQ(lines_of(history_range(kHistory, current, 1, 1, 2)), "1:1 ");
  EXPECT_EQ(lines_of(history_search(kHistory, "a*", 9, false)), "1:1 3:1 ");
  EXPECT_EQ(lines_of(history_search(kHistory, "a*", 9, true)), "3:1 ");
  EXPECT_EQ(lines_of(history_search(kHistory, "*", 2, false)), "3:1 4:1 ");
  EXPECT_EQ(lines_of(history_search(kHistory, "print*x", 9, false)), "4:1 ");  // over lines
  EXPECT_EQ(lines_of(history_search(kHistory, "[", 9, false)), "");            // odd, no harm
}

using Box = Outbox<std::string, int>;

static std::string texts_of(const Box::Taken& taken) {
  std::string text;
  for (const auto& item : taken.items)
    text += item.message ? *item.message + ";" : item.stream.name + "=" + item.stream.text + ";";
  return text;
}

TEST(outbox_merges_neighbours_and_keeps_the_order) {
  Box box;
  box.stream("out", "a", 1);
  box.stream("out", "b", 1);
  box.stream("err", "c", 1);
  box.stream("out", "d", 1);
  box.stream("out", "e", 2);  // of another request
  box.push("idle");
  EXPECT_EQ(texts_of(box.take()), "out=ab;err=c;out=d;out=e;idle;");
}

TEST(outbox_holds_a_stream_back_until_it_is_due_or_full) {
  Box box;
  auto now = Box::now_ms();
  box.stream("out", "a", 1);
  auto early = box.take(now);
  EXPECT_EQ(texts_of(early), "");
  EXPECT(early.wait_ms > 0 && early.wait_ms <= 51);
  EXPECT_EQ(texts_of(box.take(now + 60)), "out=a;");
  box.stream("out", std::string(Box::kFullAt, 'x'), 1);
  EXPECT_EQ(box.take(now).items.size(), size_t{1});
  box.stream("out", "z", 1);
  box.flush();
  EXPECT_EQ(texts_of(box.take(now)), "out=z;");
  box.stream("out", "last", 1);
  box.finish();
  auto last = box.take(now);
  EXPECT(last.finished);
  EXPECT_EQ(texts_of(last), "out=last;");
}

TEST(long_text_is_cut_at_a_line_or_a_character_with_a_note) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "123456789\n";
  std::string cut = cut_text(lines, 500);
  EXPECT(cut.size() <= 500);
  EXPECT(cut.find("9\n... cut here") != std::string::npos);
  std::string umlauts;
  for (int i = 0; i < 3000; ++i) umlauts += "\xc3\xa4";
  cut = cut_text(umlauts, 2001);
  EXPECT(cut.size() <= 2001);
  EXPECT_EQ(static_cast<unsigned char>(cut[cut.find('\n') - 1]), 0xa4);
  EXPECT_EQ(cut_text("short", 500), "short");
}

TEST(long_bundles_lose_markup_and_keep_images) {
  std::string big(1000, '<');
  MimeBundle bundle{
      {{"text/plain", big}, {"text/html", big}, {"text/latex", big}, {"image/png", big}}};
  MimeBundle small = limit_bundle(bundle, 600);
  EXPECT_EQ(small.parts.size(), size_t{3});
  EXPECT(small.find("text/plain")->size() <= 600);
  EXPECT_EQ(small.find("text/html")->substr(0, 9), "<pre>&lt;");
  EXPECT_EQ(*small.find("image/png"), big);
}

TEST(kernel_names_stay_in_their_directory) {
  for (const char* good : {"tilelab", "a-b_c.1"}) EXPECT(is_kernel_name(good));
  for (const char* bad : {"", ".", "..", "a/b", "a b", "\xc3\xa4"}) EXPECT(!is_kernel_name(bad));
}
