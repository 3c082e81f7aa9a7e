// SPDX-License-Identifier: Apache-2.0
// The elaborator's state and its parts; only files of this folder include it.
//
//   statements.cpp, loops.cpp, kernel.cpp   control flow          bind.cpp      names and lets
//   eval.cpp, subscript.cpp, calls.cpp      expressions           operators.cpp types of operations
//   function.cpp                            parameters and host   builtins/     builtins
//
// Errors are reported where they are detected and yield Poison, whose uses report nothing more.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "core/elaborate/builtins/builtins.h"
#include "core/elaborate/builtins/operand.h"
#include "core/elaborate/builtins/philox.h"
#include "core/elaborate/elaborate.h"
#include "core/elaborate/emitter.h"
#include "core/elaborate/frame.h"
#include "core/elaborate/reducer_lifetime.h"
#include "core/elaborate/reporter.h"
#include "core/elaborate/rewrites/global_layout.h"
#include "core/elaborate/rewrites/split_launches.h"
#include "core/elaborate/signature.h"
#include "core/ir/build.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// How control leaves a block of statements.
enum class Flow : uint8_t { next, broke, continued, returned };

class Elaborator {
 public:
  Elaborator(const Request& request, HostValues& host, Diagnostics& diagnostics);
  ~Elaborator();
  Result run();

#define HANDLER(name) Value on_##name(Arguments& args);
#include "core/elaborate/builtins/handlers.def"
#undef HANDLER
 private:
  // ---- messages
  template <class... Args> Diagnostic& report(Diag id, Span span, const Args&... args) {
    return reporter_.report(id, span, args...);
  }
  Value host_value(HostResult result, Span span);
  // ---- statements
  Flow exec_block(const syntax::Trees& body);
  Flow exec_one(const syntax::Trees& body, size_t& i, bool tail);
  Flow exec(const syntax::Node& node);
  Flow exec_if(const syntax::Node& node, const syntax::Trees& body, const syntax::Trees& orelse);
  Flow exec_static_loop(const syntax::Node& node, int64_t count, FunctionRef<Value(int64_t)> item);
  Flow exec_body(const syntax::Node& loop);  // of a kernel loop
  Flow exec_break(const syntax::Node& node);
  Flow exec_continue(const syntax::Node& node);
  Flow exec_return(const syntax::Node& node);
  bool end_thread(Span span, const char* what);
  bool yield(const syntax::Node& node);
  Flow exec_with(const syntax::Node& node);
  Flow exec_with_object(const syntax::Node& node, const Value& object);
  bool is_meant_as_name(const syntax::Node& item);
  static syntax::Tree one_item(const syntax::Node& with);
  std::string builder_form(const syntax::Node& with);
  Flow exec_builder(const std::string& form, const syntax::Node& with);
  /// A path to a join: what it binds, and the assignments that end it.
  struct Path {
    bool reaches = true;
    Bindings bound;
    std::vector<Stmt> end;
  };
  Path exec_branch(const syntax::Trees& body, Stmt& out);
  void emit_branches(Expr cond, const syntax::Trees& body, const syntax::Trees& orelse,
                     const syntax::Node& node);
  void join_branches(std::vector<Path>& paths, const syntax::Node& node);
  Binding joined(Symbol name, const std::vector<const Binding*>& reaching,
                 const std::vector<Path*>& ends);
  bool in_scope(const Value& value) const;
  bool outlives_region(const Value& value) const;
  bool same(const Value& a, const Value& b);
  bool can_merge(const std::vector<Value>& values);
  Value merge(Symbol name, const std::vector<Value>& values, const std::vector<Path*>& paths,
              Span span);
  bool is_carried(Symbol name) const;
  bool can_carry(const Value& value);
  bool store_carried(const Value& into, const Value& value, Span span,
                     std::vector<std::pair<Symbol, Expr>>& out);
  void assign_carried(Span span);
  void open_loop(const syntax::Node& node, bool parallel);
  void leave_loop(Span span);
  void close_loop(bool certain);
  Binding after_loop(Symbol name, const std::vector<Bindings>& ends, bool certain);
  std::string help_for_paths(Symbol name, const Value& a, const Value& b) const;
  void report_paths(Symbol name, Span use, Binding& binding);
  void exec_for(const syntax::Node& node, Flow& flow);
  void exec_while(const syntax::Node& node, Flow& flow);
  void while_loop(const syntax::Node& node);
  void refuse_else(const syntax::Node& loop);
  Flow exec_python_while(const syntax::Node& node, bool test);
  bool unrolling_fits(int64_t count, Span span);
  void exec_assign(const syntax::Node& node);
  void exec_annotated(const syntax::Node& node);
  void exec_augmented(const syntax::Node& node);
  void exec_expression(const syntax::Node& node);
  void warn_if_unused(const syntax::Node& expression, const Value& result);
  Flow exec_assert(const syntax::Node& node);
  std::string assert_help(const syntax::Node& test);
  void exec_delete(const syntax::Node& target);
  FunctionValue function_at(const syntax::Node& node);
  void exec_function(const syntax::Node& node);
  void loop_range(const syntax::Node& node, const LoopFrame& frame);
  void loop_parallel(const syntax::Node& node, const LoopFrame& frame);
  void loop_grid(const syntax::Node& node, const LoopFrame& frame);
  void loop_persistent(const syntax::Node& node, const LoopFrame& frame);
  std::vector<Symbol> bind_loops(const syntax::Node& target, const std::vector<Expr>& extents);
  void bind_loop(const syntax::Node& target, const std::vector<Expr>& values);
  bool read_threads(Arguments& args, KernelFrame& frame);
  bool read_cluster(Arguments& args, KernelFrame& frame);
  bool check_cluster_grid(const KernelFrame& frame, Span span);
  std::vector<int64_t> cluster_dims() const;
  Value copy_to_mask(Arguments& args);
  Expr block_index(size_t dim) const;
  bool enter_kernel(const KernelFrame& frame, const syntax::Node* target, Span span);
  void leave_kernel();
  Stmt with_views_renamed(const Stmt& body, const std::vector<Symbol>& before);
  Stmt finished_kernel(Stmt body);
  std::vector<Stmt> split_launches(std::vector<Stmt>& workspaces);
  // ---- names
  Binding* find(Symbol name);
  std::vector<std::string> bound_names() const;
  void help_unknown(Diagnostic& message, const std::string& name);
  void assign_all(const syntax::Trees& targets, Value value, Span value_span);
  void assign_to(const syntax::Node& target, Value value, Span value_span);
  void unpack(const syntax::Node& target, const Value& value, Span value_span);
  Value stored_variable(const Binding& old, Value value, Span value_span);
  void evaluate_before_stores(const syntax::Node& target, std::vector<Value>& values, Span span);
  bool assign_element(const Value& reference, const Value& value, Span span);
  void bind(Symbol name, Value value, Span span);
  void put(Symbol name, Value value, Span span);
  void out_of_region(Symbol name, Span use, const Binding& binding);
  void end_with_region(Binding& binding);
  Value let_value(Symbol name, Expr value, Span span);
  Value let_lanes(Symbol name, const Expr& value, Span span);
  Value make_vector(const std::vector<Argument>& parts, Type type, Span span);
  Expr gathered(const std::vector<Expr>& values, Span span);
  Expr loaded_at_once(const Operand& box, const Expr& wanted, Span span);
  std::optional<Operand> box_of_bits(const Argument& argument, int bits, Scope scope,
                                     const std::string& called);
  bool is_alias(const Expr& expr) const;
  Expr stored_value(const Value& value, DType dtype, Symbol into, Span span);
  bool reads_var(const Expr& expr) const;
  bool reads_memory(const Expr& expr) const;
  /// `span`: the statement; `element`: the target, for messages about indices.
  void store(const Value& buffer, const Value& index, const Value& value, Span span, Span element);
  bool may_change(const Value& container, const std::vector<Value>& added, Span span);
  static void extend(const Sequence& list, const std::vector<Value>& added);
  void report_too_large(const Extent& extent, Span span);
  bool within_limits(const Value& value, Span span);
  bool set_item(const syntax::Node& target, const Value& object, const Value& index,
                const Value& value);
  void store_element(const BufferRef& buffer, std::vector<SliceDim> dims, const Value& value,
                     Span span, LoopMode lanes = LoopMode::unroll);
  void store_lanes(const BufferRef& buffer, const std::vector<SliceDim>& dims, int64_t lanes,
                   const Expr& value, Span span, LoopMode mode);
  Value current_value(Value value) const;
  bool is_held(Symbol name) const;
  Value vector_value(Symbol name, Value value, Span span);
  void assign_var(const VarValue& var, const Value& value, Span span);
  // ---- statements of the IR
  void emit(Stmt stmt, Span span);
  bool need_kernel(Span span, std::string_view what);
  bool need_threads(const Arguments& args);
  Stmt barrier_of_block() const;

  // ---- expressions
  Value eval(const syntax::Node& node);
  Value eval_node(const syntax::Node& node);
  Value eval_name(const syntax::Node& node);
  Value eval_unary(const syntax::Node& node);
  std::optional<Value> eval_text(const std::string& text);
  Value eval_compare(const syntax::Node& node);
  Value eval_truth(const syntax::Node& node);
  Value eval_logical(const syntax::Node& node, size_t first = 0);
  Value eval_conditions(const syntax::Node& node);
  Value choose(Expr cond, FunctionRef<Value()> a, FunctionRef<Value()> b, Span span);
  Value chosen(const syntax::Node& test, const syntax::Node& a, const syntax::Node& b, Span span);
  Value eval_attribute(const syntax::Node& node);
  Value eval_subscript(const syntax::Node& node);
  Value eval_object(const syntax::Node& node);
  Value eval_slice(const syntax::Node& node);
  Value eval_index(const syntax::Node& node);
  Value eval_sequence(const syntax::Node& node, bool of_index = false);
  Value evaluated(Value value, Span span);
  Value evaluated_items(Value value, Span span);
  Value eval_dict(const syntax::Node& node);
  Value eval_comprehension(const syntax::Node& node);
  void comprehend(const syntax::Node& node, size_t clause, std::vector<Value>& out);
  Value eval_fstring(const syntax::Node& node);
  Value eval_call(const syntax::Node& node);
  Value attribute(const Value& object, Symbol name, Span span);
  std::optional<Value> find_attribute(const Value& object, Symbol name, Span span);
  Value report_missing_attribute(const syntax::Node& node, const Value& object);
  std::string host_name(const Value& object);
  Value subscript(const Value& object, const Value& index, Span span, Span bound = {});
  Value sequence_item(const Sequence& sequence, const Value& index, Span span);
  bool box_of(const Value& object, const Value& index, Span span, RegionValue& out);
  bool index_dims(const BufferRef& buffer, const Value& index, Span span,
                  std::vector<SliceDim>& dims);
  /// An index of a dimension with that extent: in 64 bits if it may exceed 32.
  Expr widened_index(const Expr& index, const Expr& extent) const;
  Expr in_64_bits(const Expr& e) const;
  /// The range that an index or slice selects in a dimension; false after an error.
  bool one_dim(const BufferRef& buffer, size_t dim, const Value& index, Span span, SliceDim& out);
  std::optional<std::vector<Value>> items_of(const Value& value, Span span);
  /// A range() of compile-time numbers.
  struct StaticRange {
    int64_t first, step, count;
  };
  static std::optional<StaticRange> static_range(const Value& value);
  /// Whether the configuration enables native hardware units, as far as the program states.
  bool uses_units() const;
  std::optional<bool> static_truth(const Value& value, Span span);
  bool flag(const Arguments& args, std::string_view option);

  // ---- operations
  Value unary_op(syntax::Op op, const Value& a, Span span);
  Value binary_op(syntax::Op op, const Value& a, const Value& b, Span span);
  Value compare_op(syntax::Op op, const Value& a, const Value& b, Span span);
  Value contains(const Value& items, const Value& value, Span span);
  Value identity(syntax::Op op, const Value& a, const Value& b, Span span);
  Value static_compare(syntax::Op op, const Value& a, const Value& b, Span span);
  void warn_of_literal(const Value& a, const Value& b, Span span);
  Value runtime_binary(syntax::Op op, const Value& a, const Value& b, Span span);
  /// The value as an expression; Python numbers get dtype `want` (default: int -> i32, float ->
  /// f32). Null after an error.
  Expr to_expr(const Value& value, Span span, std::optional<DType> want = {});
  Expr to_bool(const Value& value, Span span);
  Expr to_index(const Value& value, Span span);
  /// The value converted to `dtype`.
  Expr to_dtype(const Value& value, DType dtype, Span span);
  /// Converts both operands to the promoted type. False after an error. `of_bits`: Python numbers
  /// take the other operand's type if they fit.
  bool unify(const Value& a, const Value& b, Span span, Expr& x, Expr& y, bool of_bits = false);
  Expr adapt_number(const Value& number, Expr& other, Span span, bool of_bits);
  std::optional<DType> dtype_of(const Value& value, Span span, bool quiet = false);
  void report_dtype(const std::string& name, Span span);
  std::optional<Type> element_type(const Value& value, Span span);
  bool is_tf32(const Value& dtype);
  Value convert(const Value& value, const Argument& dtype, Span span);
  std::optional<int64_t> static_int(const Value& value, Span span, std::string_view what);
  Expr hoist(Expr call, Span span);
  Value math(Intrinsic intrinsic, const std::vector<Argument>& operands, Span span);
  bool has_rounding(const Value& given, const Builtin& row, DType dtype, Span span);

  // ---- calls
  Value call(const Value& callee, std::vector<Argument> positional,
             const KeywordArguments& keywords, Span span, Span callee_span);
  bool shadows_buffer(const Binding& old, Symbol name, const Value& value, Span span);
  bool meant_as_range(const syntax::Node& node, const LoopFrame& frame);
  Value call_builtin(const Builtin& row, std::vector<Argument> positional,
                     const KeywordArguments& keywords, Span span);
  void help_signature(Diagnostic& message, const Builtin& row);
  bool bind_positional(Arguments& args, std::vector<Argument> positional);
  bool bind_keywords(Arguments& args, const KeywordArguments& keywords);
  bool bind_defaults(Arguments& args);
  void report_without_effect(const Arguments& args);
  void drop_unused_elements(size_t first, size_t last, const Value& result);
  Value returned_value();
  Value call_function(const FunctionValue& function, const std::vector<Argument>& positional,
                      const KeywordArguments& keywords, Span span);
  bool bind_parameters(const FunctionValue& function, Frame& frame,
                       const std::vector<Argument>& positional, const KeywordArguments& keywords,
                       Span span);
  Value pass_argument(const syntax::Node& parameter, const Argument& argument, bool by_reference);
  Value call_method(const Method& method, const std::vector<Argument>& positional,
                    const KeywordArguments& keywords, Span span);
  Expr registers_at(const Argument& given, const AddressValue* address, int64_t count,
                    const std::string& called);
  Value call_access_ptr(const BufferRef& buffer, const std::vector<Argument>& positional,
                        const KeywordArguments& keywords, Span span);
  Value call_bound(const BoundCall& bound, const std::vector<Argument>& positional,
                   const KeywordArguments& keywords, Span span);
  Value call_host(const HostRef& callee, const std::vector<Argument>& positional,
                  const KeywordArguments& keywords, Span span);

  // ---- tensors and regions
  std::optional<int64_t> static_count(const Value& value, Span span, const std::string& what,
                                      int64_t least, int64_t most);
  bool check_extent(const Expr& extent, const std::string& of, int64_t least, Span span);
  bool check_loop(const LoopFrame& frame, const Arguments& args);
  bool check_size(const std::string& of, const std::vector<Expr>& shape, DType dtype, Scope scope,
                  Span span);
  std::optional<std::vector<Expr>> shape_of(const Value& value, Span span);
  std::optional<std::vector<int64_t>> static_shape(const Value& value, Span span,
                                                   int64_t least = 1);
  BufferRef declare(Symbol base, Scope scope, DType dtype, std::vector<Expr> shape, Span span);
  BufferRef declare_of(Symbol base, Scope scope, Type element, std::vector<Expr> shape, Span span);
  bool check_tensor(std::vector<Expr> shape, Type element, Span span);
  Value vector_variable(Arguments& args, Type element);
  Stmt view_stmt(const BufferInfo& made, const BufferInfo& source) const;
  void rename_host_views();
  Stmt with_host_views(Stmt body) const;
  Value allocate(Arguments& args, Scope scope);
  Expr unpacked_factor(const Expr& factor, Span span);
  bool view_of_pairs(const BufferInfo& of, const std::vector<Expr>& shape, DType dtype, Span span);
  std::optional<Operand> operand(const Argument& argument, bool of_vectors = false);
  std::optional<Operand> addressed(const Argument& argument);
  bool extent_of_address(Arguments& args, const Operand& base, AddressValue& out);
  bool need_atomic(Intrinsic atomic, DType dtype, const Arguments& args);
  Value atomic_tile(Arguments& args, AtomicOp op, Operand& dst, const std::string& order);
  const Load* element_read(const Expr& expr) const;
  std::optional<Operand> operand_of(const Value& value, Span span);
  /// The region with constant extents; null after an error.
  Expr region_of(const Operand& operand);
  Expr ramp_of(const Operand& operand);
  bool may_be_negative(const Expr& index) const;
  Expr whole_region(const Argument& argument, std::string_view what);
  std::optional<std::vector<int64_t>> extents_of(const Operand& operand);
  bool match_extents(Operand& a, Operand& b);
  void report_one_element(const Operand& src, const Operand& dst, Span span);
  bool fill_head(Operand& head, const Operand& other);
  // with dynamic extents (dynamic_tiles.cpp)
  void use_fragment_extents(Operand& slice, const Operand& fragment);
  bool take_eviction_policy(Arguments& args, const Operand& src);
  Value copy_variable(Arguments& args);
  Value copy_tile(Arguments& args, Operand& src, Operand& dst);
  Value copy_dynamic(Arguments& args, Operand& src, Operand& dst);
  Value fill_dynamic(Arguments& args, const Operand& dst, const Value& value);
  bool is_in_registers(const Operand& operand);
  // bounds-checked copies (builtins/robust_copies.cpp)
  static Expr in_range(const AddressValue& range, const std::vector<Expr>& index);
  std::optional<AddressValue> range_of(const Argument& given, const BufferRef& source);
  Value copy_in_range(Arguments& args, Operand& src, Operand& dst);
  friend class ForeignCall;  // builtins/foreign.h
  friend class MadeTensors;  // builtins/made_tensors.cpp
  friend class Objects;      // objects.h
  void store_each(const Operand& dst, FunctionRef<Expr(const std::vector<Expr>&)> value, Span span);
  Stmt loop_over(const Operand& dst, FunctionRef<Expr(const std::vector<Expr>&)> value);
  BufferRef buffer_named(Symbol name) const;
  Value reduce(Arguments& args, ReduceOp op, bool clear);
  std::optional<std::vector<int64_t>> matrix_of(const Argument& given, const Expr& region,
                                                const std::string& name);
  bool gemm_fits(Arguments& args, const Gemm& gemm);
  Expr thread_index(int64_t dim) const;

  // ---- reducers
  Value allocate_reducer(Arguments& args);
  Value update_reducer(Arguments& args, const Operand& acc, ReduceOp op);
  Value finalize_reducer(Arguments& args, Operand& acc);
  ReducerLifetimes::Place here() const;
  /// The partial result of a loop for a reducer or a part of it.
  struct ReducerPart {
    Symbol reducer;
    std::vector<RegionDim> target;     // of the reducer
    std::vector<int64_t> order, dims;  // of the buffer: its loop variables; which are reduced
    BufferRef buffer;
    Expr first;
  };
  using ReducerParts = std::vector<ReducerPart>;
  bool reducer_shape(const Store& store, const Parallel& loop, ReducerPart& part);
  ReducerPart& find_or_create_part(ReducerPart wanted, const Parallel& loop, Span span,
                                   ReducerParts& parts);
  Stmt update_of_part(const Store& update, const Parallel& loop, Span span, ReducerParts& parts);
  Stmt update_of_each(const Store& update, const Parallel& loop, Span span, ReducerParts& parts);
  void combine(const ReducerPart& part, Span span);
  bool keep_part(const ReducerPart& part, Span span);
  void emit_reducing(Parallel loop, Span span);

  // ---- roles and explicit barriers
  bool pipeline_order(Arguments& args, LoopFrame& frame);
  bool pipeline_lists(const Arguments& args, const Index& order, const Index& stage);
  Flow exec_warp_groups(const syntax::Node& with);
  Value declare_barriers(const std::vector<Value>& counts, Span given, Span span);
  Expr barrier_of(const Argument& given, const Builtin& row);
  int64_t pending_matmuls(Arguments& args);
  Value named_barrier(Intrinsic what, Expr number, int64_t count, const Arguments& args);

  // ---- thread communication
  bool check_full_mask(const Arguments& args);
  Flow exec_attr(const syntax::Node& with);
  int64_t thread_dimension(const Expr& index) const;
  std::optional<std::set<int64_t>> reduced_threads(const Arguments& args);
  Value combined_by_lanes(Expr mine, const std::vector<int64_t>& bits, Span span);
  Value combined(const BufferRef& shared, const std::vector<Expr>& element,
                 const std::vector<std::pair<Symbol, int64_t>>& loops, Span span);

  // ---- random numbers
  Expr inline_lets(const Expr& e) const;
  Symbol random_var(const char* base);
  Expr random_argument(const Value& value, Span span, RandomState& state, const char* base);
  std::optional<RandomKind> random_kind(Arguments& args);
  bool has_random_state(const Arguments& args);
  int64_t parallel_vector(const Parallel& loop) const;
  void emit_drawing(Parallel loop, Span span);
  Stmt without_unused_randoms(const Stmt& body);
  void check_drawing(const Kernel& kernel);

  // ---- explicit layouts
  std::optional<Index> forward_at(const Argument& function, const Index& arguments);
  bool has_digits(const ForwardLayout& layout, const ForwardMap& map, const std::string& what,
                  Span span);
  bool fits_block(int64_t held, const std::string& what, Span span);
  const BufferRef* laid_out_buffer(const Value& key, Arguments& args);
  bool annotate(const BufferRef& buffer, const Value& value, Span span);
  bool loop_layout(Arguments& args, const std::vector<int64_t>& extents, Layout& out);
  std::string host_or_buffer_name(const Value& value);
  Stmt with_layouts(const Stmt& body) const;
  // without a digit form (layout_places.cpp)
  std::optional<std::vector<Expr>> traced(const Value& function, const std::vector<Symbol>& names,
                                          Span span);
  std::optional<ElementMap> shared_places(const ForwardMap& map, const Value& function, size_t rank,
                                          Span span);
  bool annotate_by_places(const BufferRef& buffer, const ForwardMap& map, size_t rank,
                          const Value* function, Span span);
  bool check_view(const BufferRef& source, const std::vector<Expr>& shape, DType dtype, Span span);
  void check_on_host(Expr cond, std::string message, Span span);
  std::optional<Value> computed_view(const BufferRef& source, std::vector<Expr> shape, DType dtype,
                                     const Arguments& args);
  Value view_of_rows(const BufferRef& source, std::vector<Expr> shape, DType dtype, Span span);
  std::optional<std::vector<Expr>> coordinates_at(const Value& function,
                                                  const std::vector<Symbol>& names, Span span);
  bool annotate_global(const BufferRef& buffer, const Value& value, Span span);
  Stmt elementwise_loop(const Stmt& stmt);
  Expr laid_out_expr(const Expr& e);
  Stmt with_global_layouts(const Stmt& body);

  // ---- the function
  void parameters();
  Value annotation_of(const syntax::Node& parameter);
  Span parameter_span(Symbol name) const;
  void undeclared(Symbol name, Span span);
  void declare_parameter(Symbol name, const TensorType& type, Span span);
  void report_dim_as_tensor(Symbol name, Span span);
  void check_comments();
  FuncRef finish();
  void check_whole_byte_rows(const BufferInfo& tensor);
  void check_outputs(Func& func);
  void take_message(Arguments& args, Record& record);
  void check_kernel();

  const Request& request_;
  HostValues& host_;
  Diagnostics& diagnostics_;
  Reporter reporter_{diagnostics_};
  Result result_;
  Signature signature_{reporter_};

  /// The running frame, for a function that is defined in it. Such a function is usually bound in
  /// the same frame, a reference cycle that the destructor breaks. It is kept until then: frames
  /// that hold each other's functions would be destroyed in a recursion.
  std::shared_ptr<Frame> captured_frame();

  std::shared_ptr<Frame> frame_;
  std::vector<std::shared_ptr<Frame>> captured_;
  Emitter ir_;
  std::vector<Loop> loops_;
  bool tail_ = true;                        // the current block ends the body of the innermost loop
  std::set<std::string> reported_options_;  // "copy.coalesced_width": options reported once
  int64_t inlined_ = 0;                     // calls of functions so far
  Symbol hint_;                             // name for the next allocated buffer or variable

  std::unordered_map<Symbol, BufferRef> buffers_;
  std::unordered_map<Symbol, Expr> lets_;
  std::set<Symbol> vars_, held_;  // held_: lets that lists and objects hold
  std::set<Symbol> unbound_;      // made by T.int32() and so on, without a T.let yet
  std::set<Symbol> below_zero_;   // loop variables with a negative start
  ReducerLifetimes reducers_{reporter_};
  std::map<Symbol, ReducerParts> kept_parts_;  // that T.finalize_reducer combines
  std::map<Symbol, GlobalLayout> global_layouts_;
  std::optional<CombinerValue> combiner_;            // of the enclosing T.attr
  std::unordered_map<Symbol, GivenLayout> layouts_;  // of T.annotate_layout
  std::vector<HostView> host_views_;                 // in order of creation

  std::vector<Symbol> pending_;  // parameters of the function still to be declared in the body
  std::set<Symbol> undeclared_;  // those used before their declaration, already reported
  Span kernel_span_, result_span_, discarded_;  // of `return`; of a call whose value is unused
  std::vector<Attr> configs_;

  bool in_kernel_ = false, stopped_ = false, kernel_for_rest_ = false, random_failed_ = false;
  bool blocks_named_ = false;          // `with T.Kernel(...) as bx`
  int kernels_ = 0, parallel_ = 0;     // number of kernels; depth of T.Parallel
  std::optional<RandomState> random_;  // of the last T.rng_init
  std::set<Symbol> random_vars_;
  std::vector<RandomDraw> batch_;  // of the outermost T.Parallel,
  Symbol batch_thread_;            // and the thread of an iteration
  size_t kernel_block_ = 0;        // its depth
  std::vector<GridBarrier> grid_barriers_;
  int64_t copies_ = 1;  // of the current statement, by enclosing unrolled loops
  KernelFrame kernel_frame_;
  Value barrier_list_;  // of T.create_list_of_mbarrier
  std::vector<Symbol> kernel_indices_;
  std::vector<Attr> kernel_attrs_;
};
/// The values that an assertion records: the condition, and operands to show on failure.
std::vector<Expr> assertion_values(const Expr& cond);
/// An integer as i32; as i64 if it does not fit.
Expr as_index(const Expr& expr);

}  // namespace tilelab::elaborate
