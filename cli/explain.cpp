// SPDX-License-Identifier: Apache-2.0
// `tilelab explain WORD`: a message, a finding or a term of the glossary.
#include "views/explain_view.h"

#include <unistd.h>

#include <cstdio>

#include "cli/subcommand.h"
#include "core/support/text.h"

namespace tilelab {

int explain(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs("usage: tilelab explain WORD\n", stderr);
    return 2;
  }
  std::string problem;
  std::optional<Shown> shown = explain_word(join(arguments, " "), &problem);
  if (!shown) {
    complain(": " + problem);
    return 1;
  }
  std::fputs((isatty(1) ? shown->ansi : shown->text).c_str(), stdout);
  return 0;
}

}  // namespace tilelab
