// SPDX-License-Identifier: Apache-2.0
// Builds the model: numbers and words, no formatting.
#include "views/layout_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/layout/text.h"
#include "core/support/extents.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr int64_t kRows = 32, kCols = 32;  // of the visible window
constexpr size_t kListed = 64;             // elements listed in an answer

const Layout& digits_of(const LayoutSubject& s) { return s.layout.digits.layout; }

const Index& shape_of(const LayoutSubject& s) {
  return s.layout.is_digits() ? digits_of(s).shape : s.layout.table.shape;
}

bool holds_threads(const LayoutSubject& s) {
  if (s.layout.is_digits()) return is_fragment(digits_of(s));
  return std::all_of(s.layout.table.places.begin(), s.layout.table.places.end(),
                     [](const Place& place) { return place.address == 0; });
}

std::string bracketed(const Index& index) { return "[" + join(index, ", ") + "]"; }

int64_t byte_of(const LayoutSubject& s, const Index& element) {
  if (!s.layout.is_digits())
    return s.at + place_of(s.layout, element).address * s.layout.element_bytes;
  // The swizzle acts on the absolute address.
  int64_t plain = place_of(digits_of(s), element).address * s.layout.element_bytes + s.at;
  return swizzled(s.layout.digits.swizzle, plain);
}

int64_t bank_of(const LayoutSubject& s, int64_t byte) {
  return byte / s.banks.bank_bytes % s.banks.banks;
}

std::string thread_words(const LayoutSubject& s, int64_t thread) {
  return "warp " + std::to_string(thread / s.lanes) + ", lane " + std::to_string(thread % s.lanes);
}

LayoutView::Cell cell_of(const LayoutSubject& s, const Index& element) {
  if (holds_threads(s)) {
    Place place = place_of(s.layout, element);
    return {place.thread, place.reg,
            "thread " + std::to_string(place.thread) + ", register " + std::to_string(place.reg)};
  }
  int64_t byte = byte_of(s, element);
  return {bank_of(s, byte), -1,
          "byte " + std::to_string(byte) + ", bank " + std::to_string(bank_of(s, byte)), byte};
}

/// A vector, or a scalar, in lines: its beginning, the surroundings of an element, or a window.
LayoutView::Grid vector_frame(const Index& shape, const LayoutQuery& query) {
  LayoutView::Grid grid;
  grid.vector = true;
  grid.all_rows = 1, grid.all_cols = shape.empty() ? 1 : shape[0];
  int64_t end = grid.all_cols;
  if (!query.window.empty()) {
    std::tie(grid.first_col, end) = query.window[0];
  } else {
    if (query.element && !shape.empty())
      grid.first_col = (*query.element)[0] / (kRows * kCols) * kRows * kCols;
    end = std::min(end, grid.first_col + kRows * kCols);
  }
  grid.cols = std::min(end - grid.first_col, kCols);
  grid.rows = (end - grid.first_col + grid.cols - 1) / grid.cols;
  grid.cells.resize(size_t(end - grid.first_col));
  return grid;
}

/// The first rows and columns, the surroundings of an element, or a window.
LayoutView::Grid plane_frame(const Index& shape, const LayoutQuery& query) {
  LayoutView::Grid grid;
  grid.all_rows = shape[shape.size() - 2], grid.all_cols = shape.back();
  grid.rows = std::min(grid.all_rows, kRows), grid.cols = std::min(grid.all_cols, kCols);
  grid.all_lead.assign(shape.begin(), shape.end() - 2);
  grid.lead.assign(shape.size() - 2, 0);
  if (query.element) {  // the window moves to the element
    const Index& e = *query.element;
    grid.first_row = std::min(e[e.size() - 2] / kRows * kRows, grid.all_rows - grid.rows);
    grid.first_col = std::min(e.back() / kCols * kCols, grid.all_cols - grid.cols);
    for (size_t d = 0; d < grid.lead.size(); ++d) grid.lead[d] = e[d];
  }
  if (!query.window.empty()) {
    const auto [row, rows_end] = query.window[shape.size() - 2];
    const auto [col, cols_end] = query.window.back();
    grid.first_row = row, grid.rows = rows_end - row;
    grid.first_col = col, grid.cols = cols_end - col;
    for (size_t d = 0; d < grid.lead.size(); ++d) grid.lead[d] = query.window[d].first;
  }
  grid.cells.resize(size_t(grid.rows * grid.cols));
  return grid;
}

LayoutView::Grid frame_of(const LayoutSubject& s, const LayoutQuery& query) {
  const Index& shape = shape_of(s);
  LayoutView::Grid grid = shape.size() < 2 ? vector_frame(shape, query) : plane_frame(shape, query);
  grid.what = holds_threads(s) ? "thread:register" : query.offsets ? "offset" : "bank";
  return grid;
}

void fill_grid(const LayoutSubject& s, bool offsets, LayoutView::Grid& grid) {
  for (size_t n = 0; n < grid.cells.size(); ++n) {
    Index element = grid.lead;
    if (!grid.vector) {
      element.push_back(grid.first_row + int64_t(n) / grid.cols);
      element.push_back(grid.first_col + int64_t(n) % grid.cols);
    } else if (!shape_of(s).empty()) {
      element.push_back(grid.first_col + int64_t(n));
    }
    LayoutView::Cell& cell = grid.cells[n] = cell_of(s, element);
    if (offsets && cell.byte >= 0) cell.number = (cell.byte - s.at) / s.layout.element_bytes;
  }
}

/// The next index of the leading dimensions within the window.
bool next_lead(Index& lead, const LayoutQuery& query) {
  for (size_t d = lead.size(); d-- > 0;) {
    if (++lead[d] < query.window[d].second) return true;
    lead[d] = query.window[d].first;
  }
  return false;
}

void draw(const LayoutSubject& s, const LayoutQuery& query, LayoutView& view) {
  view.whole = !query.window.empty();
  view.grid = frame_of(s, query);
  if (view.whole) {
    LayoutView::Grid next = view.grid;
    while (next_lead(next.lead, query)) {
      view.more.push_back(next);
      fill_grid(s, query.offsets, view.more.back());
    }
  }
  fill_grid(s, query.offsets, view.grid);
}

/// Resolves the ends of the window; returns an error or "".
std::string window_problem(const LayoutSubject& s, LayoutQuery& query) {
  constexpr int64_t kLargest = 1 << 15;  // cells
  if (query.window.empty()) return "";
  const Index& shape = shape_of(s);
  std::string asked = s.name + " has the shape " + bracketed(shape) + "; ";
  if (query.window.size() != shape.size())
    return asked + "a slice of it has " + plural(int64_t(shape.size()), "part");
  int64_t cells = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    auto& [lo, hi] = query.window[d];
    if (hi < 0 || hi > shape[d]) hi = shape[d];
    if (lo < 0 || lo >= hi)
      return asked + "no element is in [" + std::to_string(lo) + ":" + std::to_string(hi) +
             "] of dimension " + std::to_string(d);
    cells *= hi - lo;
  }
  return cells <= kLargest ? ""
                           : std::to_string(cells) + " elements are too many for a picture (" +
                                 std::to_string(kLargest) + "): show a slice, as [0:64, 0:64]";
}

std::vector<LayoutView::DigitRow> digit_rows(const Layout& layout) {
  std::vector<LayoutView::DigitRow> rows;
  auto word = [](char kind) {
    return kind == 't' ? "thread" : kind == 'r' ? "register" : "address";
  };
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    int64_t weight = capacity(layout.dims[d]);
    for (size_t k = 0; k < layout.dims[d].size(); ++k) {
      const Digit& digit = layout.dims[d][k];
      weight /= digit.extent;
      std::string index = "i" + std::to_string(d);
      if (weight > 1) index += " // " + std::to_string(weight);
      if (k > 0) index += " % " + std::to_string(digit.extent);
      rows.push_back(
          {d, index, digit, word(digit.kind) + (" + " + std::to_string(digit.stride)) + " each"});
    }
  }
  return rows;
}

void describe_digits(const LayoutSubject& s, LayoutView& view) {
  const Layout& layout = digits_of(s);
  view.digits = digit_rows(layout);
  view.digits_text = to_text(layout);
  if (s.layout.digits.swizzle.known()) {
    const Swizzle& swizzle = s.layout.digits.swizzle;
    view.digits_text += ", swz=" + to_text(swizzle);
    view.notes.push_back("swizzle: in line n of " + std::to_string(swizzle.line) +
                         " bytes, granules of " + std::to_string(swizzle.granule) +
                         " bytes are permuted by n % " + std::to_string(swizzle.mask + 1) +
                         " (exclusive or)");
  }
  if (!layout.rep.empty())
    view.notes.push_back("each element is in " +
                         plural(int64_t(replica_offsets(layout).size()), "thread") +
                         ": rep=" + digits_text(layout.rep));
  if (padded(layout))
    view.notes.push_back("the digits cover more than the shape: the remainder is padding");
  if (!injective(layout)) view.notes.push_back("several elements share a location");
}

/// For a map without digits.
void describe_table(const LayoutSubject& s, LayoutView& view) {
  if (s.replicas > 1)
    view.notes.push_back("each element is in " + plural(s.replicas, "thread") +
                         "; these are the first ones");
  std::set<std::tuple<int64_t, int64_t, int64_t>> places;
  for (const Place& p : s.layout.table.places) places.emplace(p.thread, p.reg, p.address);
  if (places.size() < s.layout.table.places.size())
    view.notes.push_back("several elements share a location");
}

/// One past the largest thread, register and address.
Place extents_of(const LayoutTable& table) {
  Place most;
  for (const Place& p : table.places)
    most = {std::max(most.thread, p.thread + 1), std::max(most.reg, p.reg + 1),
            std::max(most.address, p.address + 1)};
  return most;
}

std::string summary_of(const LayoutSubject& s) {
  if (!s.layout.is_digits()) {
    const Place most = extents_of(s.layout.table);
    return (holds_threads(s) ? "fragment over " + plural(most.thread, "thread") + " with " +
                                   plural(most.reg, "register") + " each"
                             : plural(most.address * s.layout.element_bytes, "byte")) +
           "; a table: the map has no digits";
  }
  const Layout& layout = digits_of(s);
  if (holds_threads(s))
    return "fragment over " + plural(thread_count(layout), "thread") + " with " +
           plural(extent(layout, 'r'), "register") + " each";
  int64_t bytes = extent(layout, 'a') * s.layout.element_bytes;
  const std::string each =
      s.pairs == Pairs::none
          ? ""
          : ", each two of " + std::string(tilelang_name(*dtype_from_name(name(s.pairs))));
  return std::to_string(bytes) + " bytes" + (s.at > 0 ? " at " + std::to_string(s.at) : "") + each;
}

void answer_element(const LayoutSubject& s, const Index& element, LayoutView& view) {
  std::string head = s.name + bracketed(element) + "  ->  ";
  Place place = place_of(s.layout, element);
  if (!holds_threads(s)) {
    int64_t byte = byte_of(s, element);
    view.answers.push_back(head + "byte " + std::to_string(byte) + ", bank " +
                           std::to_string(bank_of(s, byte)));
    view.held.push_back({element, -1, -1, byte, bank_of(s, byte)});
    return;
  }
  view.held.push_back({element, place.thread, place.reg});
  view.answers.push_back(head + thread_words(s, place.thread) + ", register " +
                         std::to_string(place.reg) + "   (thread " + std::to_string(place.thread) +
                         ")");
  if (!s.layout.is_digits()) return;
  Index threads = threads_of(digits_of(s), element);
  if (threads.size() < 2) return;
  for (int64_t thread : threads)
    if (thread != place.thread) view.held.push_back({element, thread, place.reg});
  std::vector<std::string> also;
  for (size_t i = 0; i < threads.size() && i < 16; ++i)
    if (threads[i] != place.thread) also.push_back(std::to_string(threads[i]));
  view.answers.push_back(
      "and in threads " + join(also, ", ") +
      (threads.size() > 16 ? " ... (" + std::to_string(threads.size()) + " in all)" : ""));
}

void answer_thread(const LayoutSubject& s, int64_t thread, LayoutView& view) {
  std::vector<std::pair<int64_t, Index>> held;
  if (s.layout.is_digits()) {
    held = elements_of_thread(digits_of(s), thread);
  } else {
    Index element(shape_of(s).size(), 0);
    for (const Place& place : s.layout.table.places) {
      if (place.thread == thread) held.emplace_back(place.reg, element);
      for (size_t d = element.size(); d-- > 0;) {
        if (++element[d] < shape_of(s)[d]) break;
        element[d] = 0;
      }
    }
    std::sort(held.begin(), held.end());
  }
  view.answers.push_back("thread " + std::to_string(thread) + " (" + thread_words(s, thread) +
                         ") holds " + plural(int64_t(held.size()), "element"));
  for (const auto& [reg, element] : held) view.held.push_back({element, thread, reg});
  size_t width = held.empty() ? 0 : std::to_string(held.back().first).size();
  for (size_t i = 0; i < held.size() && i < kListed; ++i) {
    std::string number = std::to_string(held[i].first);
    view.answers.push_back("  register " +
                           std::string(width - std::min(width, number.size()), ' ') + number +
                           "  " + bracketed(held[i].second));
  }
  if (held.size() > kListed)
    view.answers.push_back("  ... and " + std::to_string(held.size() - kListed) + " more");
}

void answer_address(const LayoutSubject& s, int64_t byte, LayoutView& view) {
  std::string head =
      "byte " + std::to_string(byte) + " (bank " + std::to_string(bank_of(s, byte)) + ")  ->  ";
  std::vector<Index> held;
  if (s.layout.is_digits()) {
    int64_t plain = swizzled(s.layout.digits.swizzle, byte) - s.at;
    if (plain >= 0) held = elements_at_address(digits_of(s), plain / s.layout.element_bytes);
  } else if (byte >= s.at) {
    held = elements_at(s.layout, Place{0, 0, (byte - s.at) / s.layout.element_bytes});
  }
  if (held.empty()) view.answers.push_back(head + "no element of " + s.name);
  for (const Index& element : held) {
    view.answers.push_back(head + s.name + bracketed(element));
    view.held.push_back({element, -1, -1, byte, bank_of(s, byte)});
  }
}

/// Typical accesses of kernels, by one warp of 32 lanes.
void count_banks(const LayoutSubject& s, LayoutView& view) {
  const Index& shape = shape_of(s);
  if (shape.empty()) return;
  const bool vector = shape.size() == 1;
  int64_t bytes = s.layout.element_bytes, cols = shape.back();
  int64_t rows = vector ? 1 : shape[shape.size() - 2];
  auto add = [&](const std::string& what, int64_t count, int64_t row_step, int64_t col_step,
                 int64_t lane_bytes) {
    if ((count - 1) * row_step >= rows || (count - 1) * col_step >= cols) return;
    std::vector<LaneAccess> lanes;
    for (int64_t lane = 0; lane < count; ++lane) {
      Index element(shape.size(), 0);
      if (!vector) element[shape.size() - 2] = lane * row_step;
      element.back() = lane * col_step;
      lanes.push_back({lane, byte_of(s, element), lane_bytes});
    }
    view.banks.push_back({what, count_bank_conflicts(lanes, s.banks)});
  };
  add("32 lanes along a row", 32, 0, 1, bytes);
  add("32 lanes down a column", 32, 1, 0, bytes);
  int64_t vec = 16 / bytes;
  if (vec > 0 && cols % vec == 0) {
    add("8 lanes along a row, 16 bytes each", 8, 0, vec, 16);
    add("8 rows, 16 bytes each (a matrix load)", 8, 1, 0, 16);
  }
}

/// Tabulates every element; of a T.Fragment the first replica.
LayoutTable table_of(const ForwardMap& map) {
  const Index extents = output_shape(map);
  std::map<int64_t, int64_t> held;  // registers of a thread with explicit element indices
  LayoutTable table{map.shape, {}};
  for (size_t e = 0; e < size_t(map.elements()); ++e) {
    const int64_t thread = map.is_fragment() ? map.threads[e] : 0;
    const int64_t number =
        map.coordinates.empty() ? held[thread]++ : row_major_number(map.coordinates[e], extents);
    table.places.push_back(map.is_fragment() ? Place{thread, number, 0} : Place{0, 0, number});
  }
  return table;
}

std::string problem_of(const LayoutSubject& s, const LayoutQuery& query) {
  const Index& shape = shape_of(s);
  if (query.element) {
    bool good = query.element->size() == shape.size();
    for (size_t d = 0; good && d < shape.size(); ++d)
      good = (*query.element)[d] >= 0 && (*query.element)[d] < shape[d];
    if (!good)
      return s.name + " has the shape " + bracketed(shape) + "; " + bracketed(*query.element) +
             " is out of bounds";
  }
  if (query.thread && !holds_threads(s))
    return s.name + " is in memory; select an element or an address";
  if (query.thread) {
    const int64_t threads =
        s.layout.is_digits() ? extent(digits_of(s), 't') : extents_of(s.layout.table).thread;
    if (*query.thread < 0 || *query.thread >= threads)
      return s.name + " is distributed over threads 0 to " + std::to_string(threads - 1) +
             "; there is no thread " + std::to_string(*query.thread);
  }
  if (query.address && *query.address < 0)
    return "there is no byte " + std::to_string(*query.address);
  if (query.address && holds_threads(s))
    return s.name + " is in registers; select an element or a thread";
  if (query.banks && holds_threads(s))
    return s.name + " is in registers, which have no banks; --banks is for shared memory";
  return "";
}

}  // namespace

LayoutSubject layout_subject(std::string name, DType dtype, Layout layout, Swizzle swizzle) {
  LayoutSubject subject;
  subject.name = std::move(name);
  subject.dtype = dtype;
  subject.layout.digits = {std::move(layout), swizzle};
  subject.layout.element_bytes = std::max(1, bits(dtype) / 8);
  return subject;
}

std::optional<LayoutSubject> layout_subject(std::string name, DType dtype, const ForwardMap& map,
                                            std::string* problem) {
  LayoutSubject subject = layout_subject(std::move(name), dtype, Layout{}, {});
  const ForwardLayout made = layout_of(map, subject.layout.element_bytes);
  if (made.fault.what == ForwardFault::What::negative) {
    if (problem) *problem = subject.name + bracketed(made.fault.first) + " has a negative location";
    return std::nullopt;
  }
  subject.layout.digits = {made.layout, made.swizzle};
  if (!made.ok()) subject.layout.table = table_of(map);
  subject.replicas = std::max<int64_t>(map.replicas, 1);
  return subject;
}

std::optional<LayoutView> view_layout(const LayoutSubject& subject, const LayoutQuery& query,
                                      std::string* problem) {
  LayoutQuery asked = query;
  // A ring has one more dimension than in the kernel's source: without it the first stage is meant.
  if (asked.element && asked.element->size() + 1 == shape_of(subject).size() &&
      !holds_threads(subject))
    asked.element->insert(asked.element->begin(), 0);
  std::string wrong = problem_of(subject, asked);
  if (wrong.empty()) wrong = window_problem(subject, asked);
  if (!wrong.empty()) {
    if (problem) *problem = wrong;
    return std::nullopt;
  }
  LayoutView view;
  view.title = subject.name + "  " + tilelab::name(subject.dtype) + bracketed(shape_of(subject));
  view.summary = summary_of(subject);
  subject.layout.is_digits() ? describe_digits(subject, view) : describe_table(subject, view);
  if (asked.element) answer_element(subject, *asked.element, view);
  if (asked.thread) answer_thread(subject, *asked.thread, view);
  if (asked.address) answer_address(subject, *asked.address, view);
  if (asked.banks) count_banks(subject, view);
  draw(subject, asked, view);
  return view;
}

std::optional<LayoutDifference> compare_layouts(const LayoutSubject& a, const LayoutSubject& b,
                                                std::string* problem) {
  const Index& shape = shape_of(a);
  std::string wrong;
  if (shape != shape_of(b))
    wrong = a.name + " is " + bracketed(shape) + ", " + b.name + " is " + bracketed(shape_of(b));
  else if (holds_threads(a) != holds_threads(b))
    wrong = "one of " + a.name + " and " + b.name + " is in registers, the other in memory";
  if (!wrong.empty()) {
    if (problem) *problem = wrong + ": they cannot be compared element by element";
    return std::nullopt;
  }
  auto threads = [](const LayoutSubject& s, const Index& element) {
    return s.layout.is_digits() && holds_threads(s) ? threads_of(digits_of(s), element) : Index{};
  };
  LayoutDifference out{a.name, b.name, true, {}, "", "", 0, 0};
  Index element(shape.size(), 0);
  do {
    ++out.elements;
    const LayoutView::Cell in_a = cell_of(a, element), in_b = cell_of(b, element);
    if (in_a.place == in_b.place && threads(a, element) == threads(b, element)) continue;
    if (out.count++ == 0)
      out.equal = false, out.first = element, out.in_a = in_a.place, out.in_b = in_b.place;
  } while (advance(element, shape));
  return out;
}

std::string difference_text(const LayoutDifference& d) {
  if (d.equal) return d.a + " and " + d.b + " are the same map\n";
  return d.a + " and " + d.b + " differ in " + std::to_string(d.count) + " of " +
         plural(d.elements, "element") + ", first in " + bracketed(d.first) + "\n  " + d.a + ": " +
         d.in_a + "\n  " + d.b + ": " + d.in_b + "\n";
}

}  // namespace tilelab
