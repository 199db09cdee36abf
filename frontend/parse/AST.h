// The abstract syntax tree. Every node carries its exact source range; texts point into the sources.
#pragma once

#include "frontend/lex/Token.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Casting.h"

#include <memory>

namespace stretto::frontend {

// ---------------------------------------------------------------- expressions

enum class ExprKind : uint8_t { Integer, Float, Bool, Name, Set, Unary, Binary, Conditional, Call };

struct Expr {
  const ExprKind kind;
  SourceRange range;
  /// Height of the tree below, this node included; limited by the parser.
  unsigned height = 1;
  /// What a comment behind it says, if that is an expression: elsewhere '//' divides by it. The range is that of the
  /// comment.
  std::unique_ptr<Expr> comment;

  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}
  virtual ~Expr() = default;
};
using ExprPtr = std::unique_ptr<Expr>;

/// A name with its place.
struct Identifier {
  llvm::StringRef text;
  SourceRange range;
};

struct IntegerExpr : Expr {
  int64_t value;
  IntegerExpr(SourceRange range, int64_t value) : Expr(ExprKind::Integer, range), value(value) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Integer; }
};

struct FloatExpr : Expr {
  double value;
  FloatExpr(SourceRange range, double value) : Expr(ExprKind::Float, range), value(value) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Float; }
};

struct BoolExpr : Expr {
  bool value;
  BoolExpr(SourceRange range, bool value) : Expr(ExprKind::Bool, range), value(value) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Bool; }
};

/// A variable, a parameter, or a symbol such as A in `A in canon_at`.
struct NameExpr : Expr {
  llvm::StringRef name;
  NameExpr(SourceRange range, llvm::StringRef name) : Expr(ExprKind::Name, range), name(name) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Name; }
};

/// {A, B}
struct SetExpr : Expr {
  std::vector<Identifier> members;
  explicit SetExpr(SourceRange range) : Expr(ExprKind::Set, range) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Set; }
};

enum class UnaryOperator : uint8_t { Negate, Not };

struct UnaryExpr : Expr {
  UnaryOperator op;
  ExprPtr operand;
  UnaryExpr(SourceRange range, UnaryOperator op, ExprPtr operand)
      : Expr(ExprKind::Unary, range), op(op), operand(std::move(operand)) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Unary; }
};

enum class BinaryOperator : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  And,
  Or
};

struct BinaryExpr : Expr {
  BinaryOperator op;
  ExprPtr left, right;
  BinaryExpr(SourceRange range, BinaryOperator op, ExprPtr left, ExprPtr right)
      : Expr(ExprKind::Binary, range), op(op), left(std::move(left)), right(std::move(right)) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Binary; }
};

/// if condition then a else b
struct ConditionalExpr : Expr {
  ExprPtr condition, whenTrue, whenFalse;
  explicit ConditionalExpr(SourceRange range) : Expr(ExprKind::Conditional, range) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Conditional; }
};

/// An argument of a call: positional if the name is empty.
struct Argument {
  Identifier name;
  ExprPtr value;
};

/// callee(arguments): a block, a def or a built-in operation.
struct CallExpr : Expr {
  Identifier callee;
  std::vector<Argument> arguments;
  CallExpr(SourceRange range, Identifier callee) : Expr(ExprKind::Call, range), callee(callee) {}
  static bool classof(const Expr *expr) { return expr->kind == ExprKind::Call; }
};

// ---------------------------------------------------------------- statements

enum class StmtKind : uint8_t { Assign, If, Repeat, Return, Require, NoFuse, Declaration };

struct Stmt {
  const StmtKind kind;
  SourceRange range;

  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}
  virtual ~Stmt() = default;
};
using StmtPtr = std::unique_ptr<Stmt>;
using Body = std::vector<StmtPtr>;

/// q, k = a, b   or   q, k = f(x)
struct AssignStmt : Stmt {
  std::vector<Identifier> targets;
  std::vector<ExprPtr> values;
  explicit AssignStmt(SourceRange range) : Stmt(StmtKind::Assign, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::Assign; }
};

/// if condition { } else { }
struct IfStmt : Stmt {
  ExprPtr condition;
  Body whenTrue, whenFalse;
  explicit IfStmt(SourceRange range) : Stmt(StmtKind::If, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::If; }
};

/// repeat count as index named scope { }
struct RepeatStmt : Stmt {
  ExprPtr count;
  Identifier index; // empty: none
  Identifier scope; // empty: "layers"
  Body body;
  explicit RepeatStmt(SourceRange range) : Stmt(StmtKind::Repeat, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::Repeat; }
};

struct ReturnStmt : Stmt {
  std::vector<ExprPtr> values;
  explicit ReturnStmt(SourceRange range) : Stmt(StmtKind::Return, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::Return; }
};

struct RequireStmt : Stmt {
  ExprPtr condition;
  explicit RequireStmt(SourceRange range) : Stmt(StmtKind::Require, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::Require; }
};

/// no_fuse { }: the operations inside are not fused with anything.
struct NoFuseStmt : Stmt {
  Body body;
  explicit NoFuseStmt(SourceRange range) : Stmt(StmtKind::NoFuse, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::NoFuse; }
};

// ---------------------------------------------------------------- declarations

/// The written type of a parameter. `Any`: none was written.
struct TypeSyntax {
  enum class Kind : uint8_t { Any, Int, Float, Bool, Set, Enum, Tensor } kind = Kind::Any;
  SourceRange range;
  std::vector<Identifier> members; // of Set and Enum; may be empty for Set
};

struct Parameter {
  Identifier name;
  TypeSyntax type;
  ExprPtr defaultValue; // null: the caller must give one
};

/// A model, a block or a def. A def has `value`, the others a body.
struct Declaration {
  enum class Kind : uint8_t { Model, Block, Def } kind;
  bool isShared = false; // of a block: all of its calls have the same weights
  SourceRange range;     // keyword to the name
  SourceRange whole;
  Identifier name;
  std::vector<Parameter> parameters;
  Body body;
  ExprPtr value;
};

struct DeclarationStmt : Stmt {
  std::unique_ptr<Declaration> declaration;
  explicit DeclarationStmt(SourceRange range) : Stmt(StmtKind::Declaration, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::Declaration; }
};

/// import "path"
struct Import {
  SourceRange range;
  llvm::StringRef path; // without quotes
  SourceRange pathRange;
};

/// What the formatter needs beside the tokens: byte offsets in the file.
struct Layout {
  llvm::DenseSet<uint32_t> statements;  // first token of each statement or declaration
  llvm::DenseSet<uint32_t> blockBraces; // '{' and '}' around statements (others belong to sets)
  llvm::DenseSet<uint32_t> prefixes;    // '-' with one operand
};

struct SourceTree {
  uint32_t file = 0;
  std::vector<Import> imports;
  std::vector<std::unique_ptr<Declaration>> declarations;
  Layout layout;
};

/// How an operator is written.
llvm::StringRef spelling(BinaryOperator op);

/// How a type is written, without its members; "any" and "enum" where nothing but members is written.
llvm::StringRef spelling(TypeSyntax::Kind kind);

/// Whether it is one of == != < <= > >=.
inline bool isComparison(BinaryOperator op) {
  return op >= BinaryOperator::Equal && op <= BinaryOperator::GreaterEqual;
}

} // namespace stretto::frontend
