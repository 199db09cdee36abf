// The elaborator: evaluates statements and expressions, building functions as it goes. Its methods are in
// Elaborate*.cpp and Builtins*.cpp.
#ifndef STRETTO_FRONTEND_SEMA_ELABORATOR_H
#define STRETTO_FRONTEND_SEMA_ELABORATOR_H

#include "frontend/Sema/Builder.h"
#include "frontend/Sema/Sema.h"

#include <deque>
#include <map>

namespace stretto {

struct BuiltinSignature;
class BuiltinArguments;

/// The type of a parameter once its members are known.
struct ParameterType {
  TypeSyntax::Kind kind = TypeSyntax::Kind::Any;
  Universe universe;
};

/// The variable that takes the value of an expression: it names the weights made there.
struct NameHint {
  llvm::StringRef variable;
  bool isReassigned = false;
};

class Elaborator {
public:
  Elaborator(const LoadedProgram &loaded, const ElaborationOptions &options, SourceFiles &sources,
             Diagnostics &diagnostics);

  ~Elaborator();

  std::optional<Program> run();

private:
  friend class BuiltinArguments;

  // --- errors and limits (Elaborator.cpp)
  Diagnostic &error(SourceRange range, const llvm::Twine &message);
  /// Adds a note that says where a size comes from.
  void noteOrigin(Diagnostic &diagnostic, const Dim &dim);
  void noteOrigin(Diagnostic &diagnostic, const Provenance *provenance);
  void noteOrigins(Diagnostic &diagnostic, const Type &a, const Type &b);
  /// Counts work; false (after one error) when the program takes too much.
  bool spend(unsigned steps);
  /// Counts operations of the function being built; false (after one error) when a model has too many of them.
  bool grow(int64_t operations, SourceRange range);
  /// Warns of values with a name that nothing in the function reads.
  void warnUnread(const FunctionBuilder &built);
  const Provenance *makeProvenance(llvm::StringRef name, SourceRange range);
  struct DepthGuard {
    unsigned &depth;
    explicit DepthGuard(unsigned &depth) : depth(depth) { ++depth; }
    ~DepthGuard() { --depth; }
  };

  // --- names (Elaborator.cpp)
  Scope *fileScope(const LoadedFile &file);
  void declare(Scope &scope, const Declaration &declaration);
  /// Reports blocks and defs of files that share a name: a program has one of each.
  void checkFileNames();
  Binding *lookup(llvm::StringRef name);
  const Declaration *lookupDeclaration(llvm::StringRef name, Scope *&home);
  std::vector<llvm::StringRef> visibleNames();
  std::vector<llvm::StringRef> visibleCallees();
  bool isAssigned(llvm::StringRef name);

  // --- the model and its parameters (ElaborateModel.cpp)
  const Declaration *findModel();
  void bindModelParameters(const Declaration &model);
  Value overrideValue(const Override &override, const ParameterType &type);
  void checkOverrides(const Declaration &model);
  void finishModel(const Declaration &model, Program &program);
  void resolved(llvm::StringRef name, const ParameterType &type, const Value &value, std::string origin);

  // --- types of parameters (ElaborateTypes.cpp)
  ParameterType typeOf(const TypeSyntax &syntax);
  /// The type that a default value implies, where none is written.
  ParameterType inferType(const Value &value);
  Value convert(Value value, const ParameterType &type, llvm::StringRef name, SourceRange range);
  Value convertSet(Value value, const ParameterType &type, llvm::StringRef name, SourceRange range);
  bool checkMember(llvm::StringRef member, const Universe &universe, llvm::StringRef of, SourceRange range);
  void inexactDivision(const Rational &rational, llvm::StringRef where);
  std::optional<int64_t> expectInt(const Value &value, llvm::StringRef what, SourceRange range);
  std::optional<bool> expectBool(const Value &value, llvm::StringRef what, SourceRange range);

  // --- statements (ElaborateStatements.cpp, ElaborateRepeat.cpp)
  /// True if a return was executed.
  bool runBody(const Body &body);
  bool runStatement(const Stmt &stmt);
  void runAssign(const AssignStmt &stmt);
  bool runIf(const IfStmt &stmt);
  void runReturn(const ReturnStmt &stmt);
  void runRequire(const RequireStmt &stmt);
  void noteOperands(Diagnostic &diagnostic, const Expr &expr, unsigned &budget);
  void assign(const Identifier &target, Value value, SourceRange from);
  struct Iteration;
  void runRepeat(const RepeatStmt &stmt);
  std::optional<int64_t> repeatCount(const RepeatStmt &stmt);
  std::unique_ptr<Iteration> runIteration(const RepeatStmt &stmt, int64_t number, bool &changesNumbers);
  bool collectAssigned(const RepeatStmt &stmt, Scope &inner, Iteration &iteration, bool &changesNumbers);
  void emitIterations(const RepeatStmt &stmt, std::vector<std::shared_ptr<Iteration>> iterations);

  // --- expressions (ElaborateExpressions.cpp, ElaborateTensors.cpp)
  Value evaluate(const Expr &expr, NameHint hint = {});
  Value evaluateName(const NameExpr &expr);
  Value evaluateUnary(const UnaryExpr &expr);
  Value evaluateBinary(const BinaryExpr &expr);
  Value evaluateLogic(const BinaryExpr &expr);
  Value evaluateIn(const BinaryExpr &expr, const Value &left, const Value &right);
  Value compareSymbols(const BinaryExpr &expr, const Value &left, const Value &right);
  Value evaluateConditional(const ConditionalExpr &expr, NameHint hint);
  /// The values of a call with any number of results; others give one.
  std::vector<Value> evaluateMany(const Expr &expr, NameHint hint);
  Value applyUnary(llvm::StringRef function, const Value &operand, SourceRange range);
  Value applyBinary(llvm::StringRef function, const Value &a, const Value &b, SourceRange range);
  Value splat(double number, const Type &type, SourceRange range);
  Value broadcast(const Tensor &tensor, const Type &type, SourceRange range);
  std::optional<Type> commonType(llvm::StringRef function, const Type &a, const Type &b, SourceRange range);

  // --- calls (ElaborateCalls.cpp)
  struct Specialization;
  struct Frame;
  std::vector<Value> evaluateCall(const CallExpr &expr, NameHint hint);
  std::optional<std::vector<const Argument *>> matchArguments(const CallExpr &call, const Declaration &callee);
  Value argumentValue(const Parameter &parameter, const Argument *given, Scope &inner);
  bool bindArguments(const CallExpr &call, const Declaration &callee, Scope &inner);
  Value callDef(const CallExpr &call, const Declaration &callee, Scope *home);
  std::vector<Value> callBlock(const CallExpr &call, const Declaration &callee, Scope *home);
  Specialization &specialize(const CallExpr &call, const Declaration &callee, std::unique_ptr<Scope> scope,
                             std::unique_ptr<FunctionBuilder> builder, std::string key);
  bool enterCall(const CallExpr &call, const Declaration &callee);
  unsigned intern(Function function, llvm::StringRef name);

  // --- operations (ElaborateOps.cpp)
  Type rowsType(Dim width) const;
  const Type &typeOf(const Value &value) const;
  Op &emit(llvm::StringRef name, llvm::ArrayRef<Value> operands, SourceRange range);
  Value addResult(Op &op, Type type);
  std::string weightScope(llvm::StringRef op, NameHint hint);
  Value makeWeight(const std::string &name, llvm::ArrayRef<Dim> dims, Initializer init, bool frozen,
                   SourceRange range);

  // --- built-in operations (Builtins*.cpp)
  std::vector<Value> evaluateBuiltin(const BuiltinSignature &signature, const CallExpr &call, NameHint hint);
  using BuiltinHandler = std::vector<Value> (Elaborator::*)(BuiltinArguments &, NameHint);
  static BuiltinHandler handlerOf(llvm::StringRef name);
  std::vector<Value> builtinEmbed(BuiltinArguments &, NameHint);
  std::vector<Value> builtinLinear(BuiltinArguments &, NameHint);
  std::vector<Value> builtinRmsNorm(BuiltinArguments &, NameHint);
  std::vector<Value> builtinLayerNorm(BuiltinArguments &, NameHint);
  std::vector<Value> builtinCanon(BuiltinArguments &, NameHint);
  std::vector<Value> builtinShift(BuiltinArguments &, NameHint);
  std::vector<Value> builtinRotary(BuiltinArguments &, NameHint);
  std::vector<Value> builtinAttention(BuiltinArguments &, NameHint);
  std::vector<Value> builtinParameter(BuiltinArguments &, NameHint);
  std::vector<Value> builtinRecompute(BuiltinArguments &, NameHint);
  std::vector<Value> builtinWidth(BuiltinArguments &, NameHint);
  std::vector<Value> builtinUnary(BuiltinArguments &, NameHint);
  std::vector<Value> builtinMinMax(BuiltinArguments &, NameHint);
  std::vector<Value> builtinRound(BuiltinArguments &, NameHint);
  std::vector<Value> builtinInitializer(BuiltinArguments &, NameHint);
  /// The gain or bias of a norm: one entry per column of a head.
  std::optional<Dim> headWidth(BuiltinArguments &arguments, const Type &type, int64_t heads);
  Value concatenate(llvm::ArrayRef<Value> parts, SourceRange range);
  Value rotaryOne(BuiltinArguments &arguments, size_t index);
  Value addBias(const Value &x, const Value &bias, SourceRange range);

  const LoadedProgram &loaded;
  const ElaborationOptions &options;
  SourceFiles &sources;
  Diagnostics &diagnostics;

  FunctionBuilder *builder = nullptr; // function that takes new operations
  Scope *scope = nullptr;
  std::vector<Value> *returned = nullptr; // where `return` puts its values
  bool recompute = false, noFuse = false;
  unsigned repeatDepth = 0;
  llvm::SmallVector<SourceRange, 4> defSites; // calls of defs being evaluated, outermost first

  struct ActiveCall {
    const Declaration *callee;
    SourceRange site;
  };
  std::vector<ActiveCall> activeCalls;
  unsigned depth = 0;
  uint64_t steps = 0;
  bool exhausted = false;
  unsigned numberVersion = 0; // changes with every assignment of a number to a variable of the model

  std::deque<Provenance> provenances;
  std::vector<ExprPtr> overrideTrees;
  llvm::StringMap<std::unique_ptr<Scope>> fileScopes;
  Scope *modelScope = nullptr;
  std::map<std::string, std::unique_ptr<Specialization>> specializations;
  std::unique_ptr<Specialization> recursiveCall; // always failed
  std::map<std::string, unsigned> functionsByStructure;
  llvm::StringMap<unsigned> functionNames;
  Program program;
};

} // namespace stretto

#endif
