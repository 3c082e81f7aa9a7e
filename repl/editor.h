// SPDX-License-Identifier: Apache-2.0
// Edits a text in the user's editor.
#pragma once

#include <optional>
#include <string>

namespace tilelab {

struct Edited {
  std::optional<std::string> text;  // as saved
  std::string problem;              // why there is none
};

/// Opens `text` in $VISUAL or $EDITOR (vi). The file is in a private directory and has this
/// process's ID in its name; the next call removes files of killed processes.
Edited edit_in_editor(const std::string& text);

}  // namespace tilelab
