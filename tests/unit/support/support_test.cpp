// SPDX-License-Identifier: Apache-2.0
#include "core/support/check.h"
#include "core/support/escape.h"
#include "core/support/sha256.h"
#include "core/support/span.h"
#include "core/support/symbol.h"
#include "core/support/text.h"
#include "tests/unit/test.h"

using namespace tilelab;

TEST(symbols_are_interned) {
  EXPECT(Symbol("abc") == Symbol(std::string("abc")));
  EXPECT(Symbol("abc") != Symbol("abd"));
  EXPECT_EQ(Symbol("abc").str(), std::string("abc"));
  EXPECT(Symbol("").empty());
}

TEST(source_lines) {
  FileId file = add_source("cell 1", "first\nsecond\n");
  EXPECT_EQ(source_line(file, 2), std::string("second"));
  EXPECT_EQ(source_line(file, 3), std::string(""));
  EXPECT_EQ(source_id("cell 1"), file);
  EXPECT_EQ(add_source("cell 1", "\nnew"), file);
  EXPECT_EQ(source_line(file, 1), std::string(""));
  EXPECT_EQ(source_line(file, 2), std::string("new"));
}

TEST(shortest_decimals_read_back) {
  EXPECT_EQ(shortest(0.1), std::string("0.1"));
  EXPECT_EQ(shortest(2.0), std::string("2.0"));
  EXPECT_EQ(shortest(0.1f), std::string("0.1"));
}

TEST(sha256_of_published_vectors) {  // FIPS 180-4 and NIST's examples
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(terminals_act_on_no_text) {
  EXPECT_EQ(terminal_text("plain\ttext\né ─ 中\r\n"), "plain\ttext\né ─ 中\n");
  EXPECT_EQ(terminal_text("\x1b]0;title\x07\x7f\r\xc2\x9b"), "\\x1b]0;title\\x07\\x7f\\x0d\\x9b");
  EXPECT_EQ(terminal_text("\xff\xe2\x80\xae\xef\xbf\xbd"), "\\xff\\u202e\xef\xbf\xbd");
  const std::string colored = "\x1b[1;31mred\x1b[0m";
  EXPECT_EQ(terminal_text(colored, TerminalColors::kept), colored);
  EXPECT_EQ(terminal_text("\x1b[2J\x1b[1;", TerminalColors::kept), "\\x1b[2J\\x1b[1;");
  EXPECT_EQ(terminal_text("\x1b[m"), "\\x1b[m");
}

TEST(nearest_name) {
  EXPECT_EQ(nearest("alloc_sharde", {"alloc_local", "alloc_shared"}), std::string("alloc_shared"));
  EXPECT_EQ(nearest("zzz", {"alloc_local"}), std::string(""));
}

TEST(check_reports_what_was_seen) {
  try {
    CHECK(1 > 2, "one and " + std::string("two"));
    EXPECT(false);
  } catch (const InternalError& e) {
    EXPECT(std::string(e.what()).find("1 > 2: one and two") != std::string::npos);
  }
}
