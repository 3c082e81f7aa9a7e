// SPDX-License-Identifier: Apache-2.0
// The user's editor on a piece of text.
#pragma once

#include <optional>
#include <string>

namespace tilelab {

struct Edited {
  std::optional<std::string> text;  // what was saved
  std::string problem;              // why nothing was
};

/// Opens `text` in $VISUAL or $EDITOR (vi).
/// The file lies in a directory of the user's own and has the number of this process in its name;
/// files of processes that were killed go with the next call.
Edited edit_in_editor(const std::string& text);

}  // namespace tilelab
