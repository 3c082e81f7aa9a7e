// SPDX-License-Identifier: Apache-2.0
#include "core/support/check.h"
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
