// SPDX-License-Identifier: Apache-2.0
// What a person reads when a cell takes the whole process with it.
#pragma once

namespace tilelab {

/// From now on a fault of this process says which cell it was and how the cells before it come
/// back; the process ends of it as it would without.
void tell_of_crashes();
/// That cell runs; 0: none does.
void set_running_cell(int number);

}  // namespace tilelab
