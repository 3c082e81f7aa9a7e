// SPDX-License-Identifier: Apache-2.0
// tests/elaborate/errors.txt: wrong kernels and what is said about them. A case is
//   === title, the source, a line `---`, the messages.
// A source that does not begin with `def` is the body of a kernel whose arguments are A and B
// (64x32, float16 and float32) and n. TILELAB_BLESS=1 writes the messages.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/elaborate/builtins/builtins.h"
#include "core/support/text.h"
#include "tests/unit/fake_host.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

const std::string kFile = std::string(TILELAB_SOURCE_DIR) + "/tests/elaborate/errors.txt";

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string source_of(const std::string& text) {
  if (text.rfind("def", 0) == 0) return text;
  std::string out =
      "def main(A: T.Tensor((64, 32), \"float16\"), B: T.Tensor((64, 32), \"float32\"), n: "
      "T.int32):\n"
      "    with T.Kernel(4, threads=64) as bx:\n";
  for (const std::string& line : split(text, '\n'))
    if (!line.empty()) out += "        " + line + "\n";
  return out;
}

}  // namespace

TEST(elaborate_errors_read_as_written) {
  std::string all = read(kFile), made, seen;
  size_t at = all.find("=== ");
  made = all.substr(0, at);
  int cases = 0;
  while (at != std::string::npos) {
    size_t next = all.find("\n=== ", at);
    std::string text = all.substr(at, next == std::string::npos ? next : next + 1 - at);
    size_t line = text.find('\n'), rule = text.find("\n---\n");
    CHECK(rule != std::string::npos, text);
    std::string title = text.substr(0, line + 1), source = text.substr(line + 1, rule - line);
    test::FakeHost host;
    elaborate::Request request;
    if (title.find("out_idx") != std::string::npos) request.outputs = {7};
    test::Elaborated result = test::elaborate_text(source_of(source), host, request);
    std::string messages = result.messages(), expected = text.substr(rule + 5);
    while (!expected.empty() && expected.back() == '\n') expected.pop_back();
    while (!messages.empty() && messages.back() == '\n') messages.pop_back();
    if (!std::getenv("TILELAB_BLESS")) EXPECT_EQ(title + messages, title + expected);
    EXPECT(!messages.empty());
    for (const Diagnostic& d : result.diagnostics.all()) seen += std::string(info(d.id).name) + " ";
    made += title + source + "---\n" + messages + "\n\n";
    ++cases;
    at = next == std::string::npos ? next : next + 1;
  }
  EXPECT(cases > 60);
  if (std::getenv("TILELAB_BLESS")) std::ofstream(kFile) << made;
  for (int i = static_cast<int>(Diag::name_unknown); i <= static_cast<int>(Diag::swizzle_order);
       ++i) {
    std::string name(info(static_cast<Diag>(i)).name);
    if (seen.find(name + " ") == std::string::npos)
      test::fail(__FILE__, __LINE__, "no case gives " + name);
  }
}
