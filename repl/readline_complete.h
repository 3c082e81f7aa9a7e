// SPDX-License-Identifier: Apache-2.0
// Completion at the prompt: the session's candidates in readline's form.
#pragma once

#include <string>

#include "session/session.h"

namespace tilelab {

void set_completion_session(Session* session);
/// `before`: the lines of the cell above the current one. Disabled in input().
void set_completion_context(bool enabled, const std::string& before, bool color);

}  // namespace tilelab
