// SPDX-License-Identifier: Apache-2.0
// Statements.
#include <algorithm>
#include <cstring>
#include <utility>

#include "codegen/c_family/kept_loops.h"
#include "codegen/c_family/spelling.h"
#include "codegen/c_family/types.h"
#include "codegen/c_family/writer.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/intrinsics/memory_order.h"
#include "core/ir/traverse.h"

namespace tilelab::codegen {

namespace {

constexpr size_t kWidth = 100;
constexpr int64_t kLargeOnStack = 16384;  // bytes of one array

constexpr int64_t kManyCopies = 32;  // a loop with as many is not duplicated

/// Where to break `text` so that the first part has at most `room` characters: in its last two
/// thirds, at the lowest nesting depth, preferably at a comma or a loosely binding operator, as
/// late as possible. 0: nowhere.
size_t break_at(const std::string& text, size_t room) {
  static const char* kMarks[] = {", ", " = ", " ? ", " : ", " && ", " || ", " + ", " * "};
  size_t best = 0;
  int depth = 0, least = 1 << 20;
  for (size_t i = 0; i + 2 < text.size() && i < room; ++i) {
    const bool spaced = i > 0 && text[i - 1] == ' ';  // a comparison, not a template's bracket
    depth += text[i] == '(' || (text[i] == '<' && !spaced);
    depth -= text[i] == ')' || (text[i] == '>' && !spaced);
    if (text[i] != ' ' && text[i] != ',') continue;
    for (const char* mark : kMarks) {
      if (text.compare(i, std::strlen(mark), mark) != 0) continue;
      const int cost = depth * 4 + (mark[1] == '+' || mark[1] == '*' ? 6 : 0);
      const size_t at = i + (*mark == ',');  // keep the comma
      if (at <= room / 3 || at > room || cost > least) continue;
      least = cost;
      best = at;
    }
  }
  return best;
}

/// Wraps to lines of at most 100 columns; continuation lines are indented by 4 more.
std::string wrapped(std::string text, size_t indent) {
  std::string out;
  const size_t offset_by = indent + 4;
  while (indent + text.size() > kWidth) {
    const size_t cut = break_at(text, kWidth - indent);
    if (cut == 0) break;
    indent = offset_by;
    out += text.substr(0, cut) + "\n" + std::string(indent, ' ');
    text.erase(0, cut + 1);
  }
  return out + text;
}

/// Whether iterations wait for an engine or start matmuls: unrolling such a body saves nothing, and
/// compilers take long or run out of registers.
bool paced_by_engines(const For& loop) {
  return calls(*loop.body, {Intrinsic::wgmma, Intrinsic::bar_wait});
}

}  // namespace

std::string location(const Span& span) {
  std::string name = source_name(span.file);
  name.erase(0, name.rfind('/') + 1);
  for (char& c : name)  // the name could end the comment
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return name + ":" + std::to_string(span.line);
}

void KernelWriter::line(const std::string& text, const Span& span) {
  const std::string indent(size_t(depth_) * 2, ' '), lines = wrapped(text, indent.size());
  const bool fresh =
      span.known() && (span.file != last_location_.file || span.line != last_location_.line);
  std::string comment;
  if (options_.locations && fresh) {
    last_location_ = span;
    comment = "// " + location(span);
  }
  // After the first line of a statement, or above it: a comment after the last line would attribute
  // the first lines to the previous statement.
  const size_t first = std::min(lines.find('\n'), lines.size());
  if (!comment.empty() && indent.size() + first + 2 + comment.size() > kWidth) {
    body_ += indent + comment + "\n";
    comment.clear();
  }
  body_ += indent + lines.substr(0, first) + (comment.empty() ? "" : "  " + comment) +
           lines.substr(first) + "\n";
}

/// Common offsets of a statement are computed once, before it.
void KernelWriter::share_offsets(const Node& statement) {
  shared_.clear();
  std::vector<std::pair<Expr, int>> seen;
  std::unordered_multimap<uint64_t, size_t> places;  // indices into `seen`, by hash
  auto note = [&](const Expr& e) {
    if (e->kind != Kind::Bin || !is_integer(e->type.dtype) || contains<Load, Region, Call>(*e))
      return;
    const uint64_t key = hash(*e);
    for (auto [it, end] = places.equal_range(key); it != end; ++it)
      if (equal(seen[it->second].first, e)) return void(++seen[it->second].second);
    places.emplace(key, seen.size());
    seen.emplace_back(e, 1);
  };
  auto note_one = [&](const std::vector<RegionDim>& dims) {
    if (dims.size() == 1) note(dims[0].lo);
  };
  for_each(
      statement, [&](const Load& l) { note(l.index.at(0)); },
      [&](const Region& r) { note_one(r.dims); }, [&](const Store& s) { note_one(s.dims); });
  std::vector<std::pair<Expr, std::string>> named;
  for (const auto& [e, count] : seen) {
    if (count < 2) continue;
    const std::string value = text(e);
    if (value.size() < 24) continue;  // too short to name
    const std::string name = names_.make("at");
    line("const " + c_type(e->type) + " " + name + " = " + value + ";", statement.span);
    named.emplace_back(e, name);
  }
  shared_ = std::move(named);
}

void KernelWriter::block(const Stmt& body) {
  names_.open();
  ++depth_;
  stmt(body);
  --depth_;
  names_.close();
}

void KernelWriter::stmt(const Stmt& s) {
  if (!s) return;
  if (s->span.known()) here_ = s->span;
  switch (s->kind) {
    case Kind::Seq: return seq_stmt(to<Seq>(s));
    case Kind::Buffer: return buffer_stmt(to<Buffer>(s));
    case Kind::View: return view_stmt(to<View>(s));
    case Kind::Var: {
      const auto& v = to<Var>(s);
      const std::string init = given(v.name, v.init ? v.init : number(0, v.dtype));
      const std::string unread = is_read(v.name) ? "" : "[[maybe_unused]] ";
      return line(unread + c_type(v.dtype) + " " + names_.declare(v.name) + " = " + init + ";",
                  v.span);
    }
    case Kind::Let: return in_order(s, [&] { let_stmt(to<Let>(s)); });
    case Kind::Assign: return assign_stmt(to<Assign>(s));
    case Kind::Store: return store_stmt(to<Store>(s));
    case Kind::Do:
      return in_order(s, [&] {
        const Call& made = to<Call>(to<Do>(s).call);
        const bool of_user = made.intrinsic == Intrinsic::foreign;
        const std::string call = of_user ? foreign(made) : text(to<Do>(s).call);
        if (!call.empty()) line(call + ";", s->span);
      });
    case Kind::If: return if_stmt(to<If>(s), "");
    case Kind::For: return for_stmt(to<For>(s));
    case Kind::While: {
      line("while (" + text(to<While>(s).cond) + ") {", s->span);
      block(to<While>(s).body);
      return line("}");
    }
    case Kind::Break: return line("break;", s->span);
    case Kind::Record: return record_stmt(to<Record>(s));
    default: refuse(s->span, name(s->kind), "the verifier rejects it at flat level");
  }
}

/// An atomic access with its memory order, by fences: the atomic functions are relaxed.
void KernelWriter::in_order(const Stmt& s, FunctionRef<void()> write) {
  const MemoryOrder order = memory_order_of(*s);
  if (order.releases) line("tl_threadfence();", s->span);
  write();
  if (order.acquires) line("tl_threadfence();", s->span);
}

void KernelWriter::seq_stmt(const Seq& s) {
  for (const Stmt& inner : s.stmts) stmt(inner);
}

void KernelWriter::buffer_stmt(const Buffer& b) {
  note_buffer(b);
  if (b.scope == Scope::barrier || !used_.count(b.name)) return;
  if (b.scope == Scope::shared && !one_thread()) {
    const std::string type = c_type(b.dtype);
    CHECK(b.at >= 0, b.name.str() + " has no place in shared memory");
    const std::string base = b.at ? "(" + arena_ + " + " + std::to_string(b.at) + ")" : arena_;
    const std::string name = names_.declare(b.name);
    return line(type + "* const " + name + " = (" + type + "*)" + base + ";", b.span);
  }
  if (b.address) return tensor_at(b);
  CHECK(b.scope == Scope::local || one_thread(), b.name.str() + " is not local at flat level");
  array(b);
}

/// A tensor at an address.
void KernelWriter::tensor_at(const Buffer& b) {
  const std::string type = (written_.count(b.name) ? "" : "const ") + c_type(b.dtype) + "*";
  const std::string address = text(b.address, kUnary);
  line(type + " const " + names_.declare(b.name) + " = (" + type + ")" + address + ";", b.span);
}

/// Memory of one thread. Arrays too large for the stack are thread-local.
void KernelWriter::array(const Buffer& b) {
  int64_t count = 1;
  for (int64_t extent : const_shape(b)) count *= extent;
  const bool large = one_thread() && count * bytes(b.dtype) > kLargeOnStack;
  const std::string aligned = vector_access_.count(b.name) ? "__align__(16) " : "";
  const std::string extent = is_single(b.name) ? "" : "[" + std::to_string(count) + "]";
  line((large ? "static thread_local " : "") + aligned + c_type(b.dtype) + " " +
           names_.declare(b.name) + extent + ";",
       b.span);
}

void KernelWriter::view_stmt(const View& v) {
  if (!used_.count(v.name)) return;
  const std::string base = variable(v.buffer), type = c_type(v.dtype);
  const bool written = written_.count(v.name) || written_.count(v.buffer);
  const auto root = buffers_.find(v.buffer);
  const bool global = root != buffers_.end() && root->second->scope == Scope::global;
  const std::string qualified = global && !written ? "const " + type : type;
  if (root != buffers_.end()) buffers_[v.name] = root->second;
  line(qualified + "* const " + names_.declare(v.name) + " = (" + qualified + "*)" + base + ";",
       v.span);
}

void KernelWriter::let_stmt(const Let& s) {
  const Call* call = as<Call>(s.value);
  const bool effect = call && !info(call->intrinsic).pure();
  if (!used_.count(s.name)) {
    if (effect) line(text(s.value) + ";", s.span);
    return;  // unused value
  }
  const std::string value = text(s.value);  // before the name is visible
  line("const " + c_type(s.value->type) + " " + names_.declare(s.name) + " = " + value + ";",
       s.span);
}

/// The operator of `place = place op e`, which is written `place op= e`; null for other operators.
static const char* sign_of_update(BinOp op) {
  switch (op) {
    case BinOp::add: return "+";
    case BinOp::sub: return "-";
    case BinOp::mul: return "*";
    case BinOp::bxor: return "^";
    default: return nullptr;
  }
}

/// x = x + 1 as ++x, x = x op e as x op= e.
void KernelWriter::assign_stmt(const Assign& s) {
  const std::string name = variable(s.name);
  const Bin* bin = as<Bin>(s.value);
  const Name* left = bin ? as<Name>(bin->a) : nullptr;
  if (left && left->id == s.name && !is_narrow(s.value->type.dtype)) {
    const char* op = sign_of_update(bin->op);
    if (op && *op == '+' && is_int(bin->b, 1)) return line("++" + name + ";", s.span);
    if (op) return line(name + " " + op + "= " + text(bin->b) + ";", s.span);
  }
  line(name + " = " + given(s.name, s.value) + ";", s.span);
}

/// The increment, if a stored value is the element plus (or another operation) one operand.
static const Bin* update_of(const Store& s) {
  const Bin* bin = as<Bin>(s.value);
  const Load* old = bin && sign_of_update(bin->op) ? as<Load>(bin->a) : nullptr;
  const bool same = old && old->buffer == s.buffer && old->index.size() == 1 && s.dims[0].point &&
                    equal(old->index[0], s.dims[0].lo);
  return same && !is_narrow(s.value->type.dtype) ? bin : nullptr;
}

void KernelWriter::store_stmt(const Store& s) {
  CHECK(s.dims.size() == 1, s.buffer.str() + " is not flat");
  const RegionDim& dim = s.dims[0];
  const Load* kept = as<Load>(s.value);  // C compilers warn of v = v
  if (kept && kept->buffer == s.buffer && is_single(s.buffer)) return;
  if (const Bin* update = update_of(s)) {
    Store rest(s);
    rest.value = update->b;
    share_offsets(rest);
    line(
        element(s.buffer, dim.lo) + " " + sign_of_update(update->op) + "= " + text(update->b) + ";",
        s.span);
    return shared_.clear();
  }
  share_offsets(s);
  if (dim.point || dim.extent == 1) {
    line(element(s.buffer, dim.lo) + " = " + given(s.buffer, s.value) + ";", s.span);
    return shared_.clear();
  }
  const std::string to = offset(variable(s.buffer), dim.lo).text;
  const Region* copied = as<Region>(s.value);
  if (copied && copied_as_words(s, *copied))
    line("tl_move<" + c_type(s.value->type) + ">(" + to + ", " + pointer(*copied).text + ");",
         s.span);
  else
    line("tl_st(" + to + ", " + text(s.value) + ");", s.span);
  shared_.clear();
}

/// Compilers take vectors of small elements apart: of bytes always, of 16 bits where they know what
/// the memory holds, and then they do not join the stores. Registers stay values.
bool KernelWriter::copied_as_words(const Store& to, const Region& from) const {
  const auto in_memory = [&](Symbol name) {
    const auto buffer = buffers_.find(name);
    return buffer != buffers_.end() && buffer->second->scope != Scope::local;
  };
  const int size = bits(from.type.dtype);
  return size == 8 || (size == 16 && in_memory(to.buffer) && in_memory(from.buffer));
}

void KernelWriter::if_stmt(const If& s, const char* lead) {
  line(std::string(lead) + "if (" + text(s.cond) + ") {", s.span);
  block(s.then_);
  Stmt otherwise = s.else_;
  if (const Seq* seq = as<Seq>(otherwise)) {
    if (seq->stmts.empty())
      otherwise = nullptr;
    else if (seq->stmts.size() == 1)
      otherwise = seq->stmts[0];
  }
  if (!otherwise) return line("}");
  if (const If* chain = as<If>(otherwise)) return if_stmt(*chain, "} else ");
  line("} else {");
  block(otherwise);
  line("}");
}

std::string KernelWriter::for_head(const For& s) {
  const auto step = s.step ? int_value(s.step) : std::optional<int64_t>(1);
  CHECK(step && *step != 0, "the step of a loop must be a constant");
  const std::string type = c_type(s.lo->type), lo = text(s.lo);
  std::string hi = text(s.hi, kSum), end;
  const std::string var = names_.declare_loop(s.var);
  if (!is_invariant(s.hi, assigned_)) {  // bounds are read once
    const std::string bound = names_.make(var + "_end");
    end = ", " + bound + " = " + std::exchange(hi, bound);
  }
  std::string next = *step == 1    ? "++" + var
                     : *step == -1 ? "--" + var
                     : *step > 0   ? var + " += " + std::to_string(*step)
                                   : var + " -= " + std::to_string(-*step);
  return "for (" + type + " " + var + " = " + lo + end + "; " + var + (*step > 0 ? " < " : " > ") +
         hi + "; " + next + ") {";
}

void KernelWriter::for_stmt(const For& s) {
  names_.open();
  if (!s.steps.empty()) {
    for_steps(s);
  } else {
    const std::string head = for_head(s);
    const bool chooses = s.mode != LoopMode::serial && !one_thread();
    const bool unrolled = chooses && !kept_.count(&s);
    const bool kept = (chooses && !unrolled) || paced_by_engines(s) || copies_ >= kManyCopies ||
                      (!one_thread() && may_hang_compiler(s));
    const bool open = !chooses && !kept && !one_thread();
    int64_t copies = unrolled ? iterations(s) : open ? copies_for_loads(s) : 1;
    if (!unrolled && copies < iterations(s) && copies_ * copies > kManyCopies) copies = 1;
    if (unrolled || (copies > 1 && copies == iterations(s)))
      line("#pragma unroll");
    else if (copies > 1)
      line("#pragma unroll " + std::to_string(copies));
    else if (kept)
      line("#pragma unroll 1");
    line(head, s.span);
    const int64_t around = copies_;
    copies_ = std::min(copies_ * copies, kManyCopies);
    block(s.body);
    copies_ = around;
    line("}");
  }
  names_.close();
}

int64_t KernelWriter::copies_for_loads(const For& s) const {
  return codegen::copies_for_loads(s, [&](Symbol name) -> const Buffer* {
    auto found = buffers_.find(name);
    return found == buffers_.end() ? nullptr : &*found->second;
  });
}

/// A loop over listed constants: a C loop if they are a geometric or arithmetic sequence, otherwise
/// one block each.
void KernelWriter::for_steps(const For& s) {
  const std::vector<int64_t>& v = s.steps;
  const std::string type = s.lo ? c_type(s.lo->type) : "int";
  auto regular = [&](auto next) {
    for (size_t i = 1; i < v.size(); ++i)
      if (v[i] != next(v[i - 1])) return false;
    return v.size() > 1;
  };
  const int64_t gap = v.size() > 1 ? v[1] - v[0] : 0;
  auto head = [&](const std::string& end, const std::string& next) {
    const std::string var = names_.declare_loop(s.var);
    if (!one_thread()) line("#pragma unroll");
    line("for (" + type + " " + var + " = " + std::to_string(v[0]) + "; " + var + end + "; " + var +
             next + ") {",
         s.span);
    block(s.body);
    line("}");
  };
  const std::string last = std::to_string(v.back());
  if (v.back() > 0 && regular([](int64_t x) { return x % 2 ? -1 : x / 2; }))
    return head(" >= " + last, " /= 2");
  if (v[0] > 0 && regular([](int64_t x) { return x * 2; })) return head(" <= " + last, " *= 2");
  if (gap > 0 && regular([&](int64_t x) { return x + gap; }))
    return head(" <= " + last, " += " + std::to_string(gap));
  for (int64_t value : v) {
    line("{", s.span);
    names_.open();
    ++depth_;
    const std::string var = names_.declare_loop(s.var);
    line("const " + type + " " + var + " = " + std::to_string(value) + ";");
    stmt(s.body);
    --depth_;
    names_.close();
    line("}");
  }
}

/// print: an event; assert: an event if values[0] is false; the launcher raises afterwards.
void KernelWriter::record_stmt(const Record& s) {
  if (s.what == RecordKind::assume) return;  // a fact for the passes
  const bool assertion = s.what != RecordKind::print;
  RecordSite site{s.what, s.message, s.buffer, {}, int(s.index.size()), s.span};
  std::string args;
  size_t count = 0;
  for (const auto* list : {&s.values, &s.index})
    for (const Expr& e : *list) {
      if (assertion && list == &s.values && &e == &s.values[0]) continue;
      site.values.push_back(e->type.dtype);
      args += ", " + text(e, kTernary);
      ++count;
    }
  if (count > size_t(kEventValues)) refuse(s.span, "print", "an event holds at most 6 values");
  const std::string number = std::to_string(result_.sites.size());
  result_.sites.push_back(site);
  result_.records = true;
  const std::string call =
      "tl_record(" + events_ + ", " + number + ", " + (assertion ? "1" : "0") + args + ");";
  if (!assertion) return line(call, s.span);
  line("if (!(" + text(s.values.at(0)) + ")) {", s.span);
  ++depth_;
  line(call);
  if (one_thread()) line("return;");  // other blocks have not started
  --depth_;
  line("}");
}

}  // namespace tilelab::codegen
