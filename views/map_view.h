// SPDX-License-Identifier: Apache-2.0
// The two forms of %map: by source line, and by line of code.
#pragma once

#include "views/models.h"
#include "views/shown.h"

namespace tilelab {

Shown shown_by_source(const KernelMap& map);
Shown shown_by_code(const KernelMap& map);

}  // namespace tilelab
