// SPDX-License-Identifier: Apache-2.0
// tilelab's mark: a tile of 4 x 4 elements coloured by bank, swizzled so that neither a row nor a
// column has a bank twice. Drawn from one description, as SVG and as PNG.
#pragma once

#include <string>

namespace tilelab::jupyter {

std::string logo_svg();

/// A square image of `size` pixels with transparent corners, as the bytes of a PNG file.
std::string logo_png(int size);

}  // namespace tilelab::jupyter
