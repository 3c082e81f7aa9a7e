// SPDX-License-Identifier: Apache-2.0
// Text of file descriptors comes to the sink, whole and in order with other text.
#include "session/capture.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/unit/test.h"

using namespace tilelab;

static std::string* sink_text() {
  static auto* text = new std::string;
  return text;
}

static void sink(const char* stream, const std::string& text) {
  *sink_text() += (stream[3] == 'o' ? "" : "!") + text;
}

static void put(const char* text) {
  if (write(1, text, std::char_traits<char>::length(text)) < 0) std::abort();
}

TEST(capture_keeps_the_order_of_descriptors_stdio_and_others) {
  sink_text()->clear();
  {
    Capture capture(sink);
    put("a");
    capture.in_order([] { *sink_text() += "b"; });
    std::printf("c");
    capture.in_order([] { *sink_text() += "d"; });
    if (write(2, "e", 1) < 0) std::abort();
    capture.drain();
    if (std::system("printf f") != 0) std::abort();
  }
  EXPECT_EQ(*sink_text(), "abcd!ef");
}

TEST(capture_takes_more_than_a_pipe_holds) {
  sink_text()->clear();
  {
    Capture capture(sink);
    for (int i = 0; i < 300; ++i) put(std::string(1000, 'x').c_str());
    std::printf("%s", std::string(200000, 'y').c_str());
  }
  EXPECT_EQ(sink_text()->size(), size_t{500000});
}

TEST(capture_never_cuts_a_character) {
  sink_text()->clear();
  {
    Capture capture(sink);
    put("\xc3");
    capture.drain();
    EXPECT_EQ(*sink_text(), "");
    put("\xa4");
  }
  EXPECT_EQ(*sink_text(), "\xc3\xa4");
}
