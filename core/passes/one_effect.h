// SPDX-License-Identifier: Apache-2.0
// A loop that shall become vectors, as one store or atomic sum.
#pragma once

#include "core/ir/stmt.h"
#include "core/passes/facts.h"

namespace tilelab {

/// A marked loop whose body names parts of its one effect's value first, with their values in their
/// places; data is read once, so what reads it stays named. What elements of an aligned vector
/// can't differ in no longer asks which of them it is: borders that cut none, quotients.
For of_one_effect(const For& loop, const Facts& facts);

}  // namespace tilelab
