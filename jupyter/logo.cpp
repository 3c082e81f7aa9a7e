// SPDX-License-Identifier: Apache-2.0
#include "jupyter/logo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace tilelab::jupyter {

namespace {

/// A square with round corners; units of a 64 x 64 picture.
struct Tile {
  double x, y, side, radius;
  uint32_t rgb;
};

constexpr std::array<uint32_t, 4> kBanks = {0xf2a03d, 0x2fb3a3, 0x3d7de0, 0xe4e9f0};

std::vector<Tile> tiles() {
  std::vector<Tile> all = {{1, 1, 62, 12, 0x17212e}};
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 4; ++column)
      all.push_back({8 + 12.5 * column, 8 + 12.5 * row, 10.5, 2.2, kBanks[row ^ column]});
  return all;
}

bool covers(const Tile& tile, double x, double y) {
  double half = tile.side / 2, straight = half - tile.radius;
  double dx = std::max(std::abs(x - tile.x - half) - straight, 0.0);
  double dy = std::max(std::abs(y - tile.y - half) - straight, 0.0);
  return dx * dx + dy * dy <= tile.radius * tile.radius;
}

/// The colour of a point as RGBA, 0..1 each; alpha 0 outside.
std::array<double, 4> colour_at(const std::vector<Tile>& all, double x, double y) {
  for (auto tile = all.rbegin(); tile != all.rend(); ++tile) {
    if (!covers(*tile, x, y)) continue;
    auto channel = [&](int shift) { return ((tile->rgb >> shift) & 0xff) / 255.0; };
    return {channel(16), channel(8), channel(0), 1};
  }
  return {0, 0, 0, 0};
}

/// Four bytes of a pixel: the mean of 4 x 4 points in it.
void add_pixel(std::string& out, const std::vector<Tile>& all, int column, int row, double scale) {
  constexpr int points = 4;
  std::array<double, 4> sum = {0, 0, 0, 0};
  for (int i = 0; i < points * points; ++i) {
    double x = (column + (i % points + 0.5) / points) * scale;
    const int below = i / points;
    double y = (row + (below + 0.5) / points) * scale;
    auto colour = colour_at(all, x, y);
    for (int c = 0; c < 4; ++c) sum[c] += colour[c];
  }
  double alpha = sum[3];
  for (int c = 0; c < 3; ++c)
    out += static_cast<char>(std::lround(alpha > 0 ? 255 * sum[c] / alpha : 0));
  out += static_cast<char>(std::lround(255 * alpha / (points * points)));
}

void add_number(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

/// CRC-32 as PNG (ISO 3309) has it.
uint32_t crc32(const std::string& data) {
  uint32_t crc = ~0u;
  for (unsigned char byte : data) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

void add_chunk(std::string& png, const std::string& type, const std::string& data) {
  add_number(png, static_cast<uint32_t>(data.size()));
  png += type + data;
  add_number(png, crc32(type + data));
}

/// A zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4): no compression, no library.
std::string zlib_stored(const std::string& data) {
  constexpr size_t block_limit = 65535;
  std::string out = "\x78\x01";
  uint32_t a = 1, b = 0;  // Adler-32
  for (unsigned char byte : data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  for (size_t at = 0; at < data.size(); at += block_limit) {
    size_t length = std::min(block_limit, data.size() - at);
    out += static_cast<char>(at + length == data.size());  // the last block
    for (size_t value : {length, ~length}) {
      out += static_cast<char>(value & 0xff);
      out += static_cast<char>(value >> 8 & 0xff);
    }
    out += data.substr(at, length);
  }
  add_number(out, b << 16 | a);
  return out;
}

}  // namespace

std::string logo_svg() {
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">\n";
  for (const Tile& tile : tiles()) {
    char line[160];
    std::snprintf(line, sizeof line,
                  "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%g\" fill=\"#%06x\"/>\n",
                  tile.x, tile.y, tile.side, tile.side, tile.radius, tile.rgb);
    svg += line;
  }
  return svg + "</svg>\n";
}

std::string logo_png(int size) {
  std::vector<Tile> all = tiles();
  std::string rows;
  for (int row = 0; row < size; ++row) {
    rows += '\0';  // no filter
    for (int column = 0; column < size; ++column) add_pixel(rows, all, column, row, 64.0 / size);
  }
  std::string header;
  add_number(header, static_cast<uint32_t>(size));
  add_number(header, static_cast<uint32_t>(size));
  header += std::string("\x08\x06\0\0\0", 5);  // 8 bits a channel, RGBA
  std::string png = "\x89PNG\r\n\x1a\n";
  add_chunk(png, "IHDR", header);
  add_chunk(png, "IDAT", zlib_stored(rows));
  add_chunk(png, "IEND", "");
  return png;
}

}  // namespace tilelab::jupyter
