// SPDX-License-Identifier: Apache-2.0
// Lists that belong to no kernel as JSON.
#include "views/json.h"

#include "tests/unit/test.h"

using namespace tilelab;

TEST(json_of_rows) {
  const JsonRow line = {{"line", int64_t{3}}, {"input", "a = \"x\"\n"}, {"last", true}};
  EXPECT_EQ(json_of(std::vector<JsonRow>{}), "[]");
  EXPECT_EQ(json_of(std::vector<JsonRow>{line}),
            R"([{"line":3,"input":"a = \"x\"\n","last":true}])");
  const JsonRow device = {{"device", "simulator"}}, gpu = {{"name", "gpu"}, {"present", false}};
  EXPECT_EQ(json_of(device, "devices", std::vector<JsonRow>{gpu}),
            R"({"device":"simulator","devices":[{"name":"gpu","present":false}]})");
}

// A line of the history may hold any bytes; JSON is UTF-8.
TEST(json_of_rows_is_utf8) {
  const JsonRow line = {{"input", "b = '\xff'"}};
  EXPECT_EQ(json_of(std::vector<JsonRow>{line}), "[{\"input\":\"b = '\xef\xbf\xbd'\"}]");
}
