// SPDX-License-Identifier: Apache-2.0
// Keeping a display small enough for a notebook.
#pragma once

#include <string>

#include "session/session.h"

namespace tilelab::jupyter {

/// More text than this makes notebooks slow and hits the servers' limit of 1 MB a second.
constexpr size_t kDisplayLimit = 200 * 1000;  // bytes, of one representation

/// Cuts a text at a line (else at a character) so that it and a note fit into `limit` bytes.
std::string cut_text(const std::string& text, size_t limit);

/// The bundle with every textual part within `limit` bytes. A long text/plain is cut, with a note;
/// markup that is too long is left out (half of it would not be markup), and text/html is replaced
/// by the cut plain text. Images are left alone.
MimeBundle limit_bundle(const MimeBundle& bundle, size_t limit = kDisplayLimit);

}  // namespace tilelab::jupyter
