// SPDX-License-Identifier: Apache-2.0
// The fake driver's parser of modules: the kernels of generated C, or of PTX.
#include "tests/runtime/fake_gpu.h"

namespace tilelab::test {

FakeImage* read_image(const std::string& text) {
  auto* image = new FakeImage;
  for (size_t at = text.find("__global__"); at != std::string::npos;
       at = text.find("__global__", at + 1)) {
    const size_t name = text.find('\n', at) + 1, open = text.find('(', name);
    size_t close = open + 1;
    for (int depth = 1; depth > 0; ++close) depth += (text[close] == '(') - (text[close] == ')');
    auto* kernel = new FakeKernel{text.substr(name, open - name), {}};
    std::string params = text.substr(open + 1, close - open - 2);
    for (size_t from = 0; !params.empty() && from != std::string::npos;) {
      const size_t comma = params.find(',', from);
      kernel->params.push_back(params.substr(from, comma - from));
      from = comma == std::string::npos ? comma : comma + 1;
    }
    image->kernels.push_back(kernel);
  }
  return image;
}

FakeImage* read_ptx(const std::string& text) {
  auto* image = new FakeImage;
  const std::string entry = ".visible .entry ";
  for (size_t at = text.find(entry); at != std::string::npos; at = text.find(entry, at + 1)) {
    const size_t name = at + entry.size(), open = text.find('(', name),
                 close = text.find(')', open);
    auto* kernel = new FakeKernel{text.substr(name, open - name), {}};
    for (size_t from = text.find(".param ", open); from < close;
         from = text.find(".param ", from + 1)) {
      const std::string param = text.substr(from, text.find_first_of(",)", from) - from);
      kernel->params.push_back((param.find(".u64") == std::string::npos ? "" : "*") + param);
    }
    image->kernels.push_back(kernel);
  }
  return image;
}

}  // namespace tilelab::test
