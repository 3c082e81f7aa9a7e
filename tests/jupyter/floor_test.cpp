// SPDX-License-Identifier: Apache-2.0
// The parts of the jupyter floor that need no sockets.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "jupyter/abort_rule.h"
#include "jupyter/bundle.h"
#include "jupyter/connection.h"
#include "jupyter/dates.h"
#include "jupyter/history_query.h"
#include "jupyter/incoming.h"
#include "jupyter/install.h"
#include "jupyter/outbox.h"
#include "jupyter/output_limit.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::jupyter;

TEST(dates_are_written_with_all_their_zeros) {
  for (int i = 0; i < 1000; ++i) {
    std::string date = iso_date();
    EXPECT_EQ(date.size(), std::string("2026-01-01T00:00:00.000000Z").size());
    EXPECT_EQ(date.back(), 'Z');
  }
}

TEST(dates_of_any_client_compare) {
  const int64_t begin = 1'772'366'400'000'000;
  EXPECT_EQ(microseconds_of("2026-03-01T12:00:00.000045Z"), begin + 45);
  EXPECT_EQ(microseconds_of("2026-03-01T12:00:00.25Z"), begin + 250'000);
  EXPECT_EQ(microseconds_of("2026-03-01T12:00:00.123456789Z"), begin + 123'456);
  EXPECT_EQ(microseconds_of("2026-03-01T13:30:00+01:30"), begin);
  EXPECT_EQ(microseconds_of("2026-03-01T07:00:00.5-05:00"), begin + 500'000);
  EXPECT_EQ(microseconds_of("2026-03-01T12:00:00"), begin);
  for (const char* bad : {"", "today", "2026-03-01", "2026-03-01 12:00:00"})
    EXPECT(!microseconds_of(bad));
}

TEST(abort_rule_takes_what_had_arrived_when_the_failure_was_reported) {
  AbortRule rule;
  rule.started("me");
  EXPECT(!rule.aborts("me", true));  // nothing failed yet
  rule.failed();
  EXPECT(rule.aborts("me", true));
  EXPECT(!rule.aborts("me", false));
  EXPECT(!rule.aborts("other", true));
  rule.started("me");
  EXPECT(!rule.aborts("me", true));
}

TEST(json_of_any_origin_is_read_or_refused) {
  auto text = [](const std::string& json) {
    auto read = read_json(json);
    return read ? read->dump() : "refused";
  };
  EXPECT_EQ(text(R"({"a": "\ud83d\ude00"})"), "{\"a\":\"\xf0\x9f\x98\x80\"}");
  EXPECT_EQ(text(R"(["\ud800"])"), "[\"\xef\xbf\xbd\"]");
  EXPECT_EQ(text(R"(["\udc00x\ud800\n"])"), "[\"\xef\xbf\xbdx\xef\xbf\xbd\\n\"]");
  EXPECT_EQ(text(R"(["\\ud800", "\ud800"])"), "[\"\\\\ud800\",\"\xef\xbf\xbd\"]");
  EXPECT_EQ(text("[\"\xed\xa0\x80\xff\"]"),
            "[\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"]");
  for (const char* bad : {"", "{", "nul", "{\"a\": NaN}", "[1e999]", "[\"\\u12\"]", "\"\\"})
    EXPECT_EQ(text(bad), "refused");
  EXPECT_EQ(text(std::string(200, '[') + std::string(200, ']')).size(), size_t{400});
  EXPECT_EQ(text(std::string(100000, '[') + std::string(100000, ']')), "refused");
  EXPECT_EQ(text("[\"" + std::string(1000, '[') + "\"]").size(), size_t{1004});
}

TEST(signatures_are_compared_whole_and_remembered) {
  EXPECT(same_signature("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "abcd"}) EXPECT(!same_signature("abc", other));
  SeenSignatures seen;
  for (int i = 0; i < 200000; ++i) EXPECT(seen.add(std::to_string(i)));
  for (int i : {140000, 199999}) EXPECT(!seen.add(std::to_string(i)));
}

TEST(connection_files_are_read_or_the_member_is_named) {
  std::string good = R"({"shell_port": 1, "control_port": 2, "stdin_port": 3, "iopub_port": 4,
                         "hb_port": 65535, "key": "k"})";
  EXPECT_EQ(parse_connection(good).ports[4], "65535");
  EXPECT_EQ(parse_connection(R"({"key": "", )" + good.substr(1)).signature_scheme, "hmac-sha256");
  auto problem = [&](const std::string& from, const std::string& to) -> std::string {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    try {
      parse_connection(text);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(problem("\"hb_port\": 65535", "\"hb_port\": 70000"),
            "hb_port is 70000; ports are 1 to 65535");
  EXPECT_EQ(problem("_port\": 1", "_port\": -1"), "shell_port is -1; ports are 1 to 65535");
  EXPECT_EQ(problem("_port\": 1", "_port\": \"1\""), "shell_port is not an integer");
  EXPECT_EQ(problem("_port\": 2", "_port\": 1"), "control_port is the same as shell_port");
  EXPECT_EQ(problem("shell_port", "shel_port"), "it has no shell_port");
  EXPECT_EQ(problem("\"k\"", "7"), "key is not a string");
  EXPECT_EQ(problem("\"k\"", "\"k\", \"transport\": \"udp\""),
            "transport is udp; this kernel supports tcp, ipc");
  EXPECT_EQ(problem("{", "["), "it is not JSON");
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
  EXPECT(cut.find("9\n... truncated") != std::string::npos);
  std::string umlauts;
  for (int i = 0; i < 3000; ++i) umlauts += "\xc3\xa4";
  cut = cut_text(umlauts, 2001);
  EXPECT(cut.size() <= 2001);
  EXPECT_EQ(static_cast<unsigned char>(cut[cut.find('\n') - 1]), 0xa4);
  EXPECT_EQ(cut_text("short", 500), "short");
}

TEST(long_bundles_lose_text_and_keep_markup_and_images) {
  std::string big(1000, '<');
  MimeBundle bundle{
      {{"text/plain", big}, {"text/html", big}, {"image/svg+xml", big}, {"image/png", big}}};
  MimeBundle small = limit_bundle(bundle, 600);
  EXPECT_EQ(small.parts.size(), bundle.parts.size());
  EXPECT(small.find("text/plain")->size() <= 600);
  for (const char* kept : {"text/html", "image/svg+xml", "image/png"})
    EXPECT_EQ(*small.find(kept), big);
}

TEST(a_cell_shows_so_much_text_and_sums_up_the_rest) {
  OutputLimit::Sizes sizes;
  sizes.lines = 3;
  sizes.bytes = 40;
  sizes.last_lines = 2;
  OutputLimit limit(sizes, "");
  limit.begin("cell 1");
  EXPECT_EQ(limit.take("1\n2\n3\n"), "1\n2\n3\n");
  EXPECT_EQ(limit.finish(), "");
  EXPECT_EQ(limit.take("1\n2\n"), "1\n2\n");  // the count restarts
  std::string shown = limit.take("3\n4\n5\n6");
  EXPECT_EQ(shown.substr(0, 6), "3\n... ");
  EXPECT_EQ(limit.take("7\n"), "");
  std::string rest = limit.finish();
  EXPECT(rest.find("6 lines") != std::string::npos);
  EXPECT_EQ(rest.substr(rest.rfind(":\n")), ":\n5\n67\n");
  EXPECT_EQ(limit.finish(), "");

  limit.begin("cell 2");  // a bar that writes its line over, a page that is cleared
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limit.take("\r 10 of 20"), "\r 10 of 20");
  limit.take("\n\n");
  limit.forget();
  EXPECT_EQ(limit.take("1\n2\n"), "1\n2\n");
  shown = limit.take(std::string(35, '-') + "\xc3\xa4\xc3\xa4");  // not inside a character
  EXPECT_EQ(shown.substr(0, 37), std::string(35, '-') + "\n.");
}

TEST(the_file_of_a_running_cell_stays) {
  char directory[] = "/tmp/tilelab-outputs-XXXXXX";
  EXPECT(mkdtemp(directory) != nullptr);
  OutputLimit::Sizes sizes;
  sizes.lines = 1;
  sizes.files = 3;
  auto count = [&] {
    const std::filesystem::directory_iterator files(directory);
    return std::distance(begin(files), end(files));
  };
  OutputLimit quiet(sizes, directory);
  quiet.begin("cell 1");
  const std::string shown = quiet.take("1\n2\n");
  const std::string file = std::string(directory) + "/" + std::to_string(getpid()) + "-cell-1";
  EXPECT(shown.find(file + ".txt") != std::string::npos);
  for (int i = 0; i < 6; ++i) {
    OutputLimit noisy(sizes, directory);
    noisy.begin("cell 1");  // of another kernel with this ID, in another container
    noisy.take("1\n2\n");
    noisy.finish();
  }
  struct stat info;
  EXPECT_EQ(stat((file + ".txt").c_str(), &info), 0);
  EXPECT_EQ(int(info.st_mode & 0777), 0600);
  EXPECT(count() <= 4);
  EXPECT(quiet.finish().find("2 lines") != std::string::npos);
  std::filesystem::remove_all(directory);
}

TEST(kernel_names_stay_in_their_directory) {
  for (const char* good : {"tilelab", "a-b_c.1"}) EXPECT(is_kernel_name(good));
  for (const char* bad : {"", ".", "..", "a/b", "a b", "\xc3\xa4"}) EXPECT(!is_kernel_name(bad));
}
