// SPDX-License-Identifier: Apache-2.0
// The user's editor on a piece of text.
#pragma once

#include <optional>
#include <string>

namespace tilelab {

/// Opens `text` in $VISUAL or $EDITOR (vi); gives what was saved, or nothing where that failed.
/// The file lies in a directory of the user's own and has the number of this process in its name;
/// files of processes that were killed go with the next call.
std::optional<std::string> edit_in_editor(const std::string& text);

}  // namespace tilelab
