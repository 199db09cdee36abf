// The elaborated program: what a model is once all its parameters are known.
#include "frontend/sema/Program.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;
using namespace stretto::frontend;

bool Type::operator==(const Type &other) const {
  if (kind != other.kind || dims.size() != other.dims.size())
    return false;
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i].size != other.dims[i].size)
      return false;
  return true;
}

std::string Type::str() const {
  std::string text = "[";
  for (const Dim &dim : dims) {
    if (text.size() > 1)
      text += ", ";
    if (dim.provenance)
      text += dim.provenance->name + "=";
    text += std::to_string(dim.size);
  }
  return text + "]";
}

std::string Type::describe() const {
  static constexpr llvm::StringRef kinds[] = {"", "tokens ", "positions ", "a weight "};
  return kinds[unsigned(kind)].str() + str();
}

llvm::StringRef Type::adviseEmbed() const {
  static constexpr llvm::StringRef advice[] = {"", "use embed(tokens, ...) first", "use embed(positions(), ...) first",
                                               ""};
  return advice[unsigned(kind)];
}

const Initializer *frontend::findInitializer(llvm::StringRef name) {
  return name == "zeros" ? &zeros : name == "ones" ? &ones : nullptr;
}

const Attribute &Op::attribute(llvm::StringRef key) const {
  for (const Attribute &attribute : attributes)
    if (attribute.name == key)
      return attribute;
  llvm_unreachable("an operation lacks an attribute");
}

int64_t Op::integer(llvm::StringRef key) const { return std::get<int64_t>(attribute(key).value); }
double Op::real(llvm::StringRef key) const { return std::get<double>(attribute(key).value); }
bool Op::flag(llvm::StringRef key) const { return std::get<bool>(attribute(key).value); }
llvm::StringRef Op::text(llvm::StringRef key) const { return std::get<std::string>(attribute(key).value); }
const std::vector<double> &Op::reals(llvm::StringRef key) const {
  return std::get<std::vector<double>>(attribute(key).value);
}

ValueId Function::addValue(Type type, SourceRange range, llvm::StringRef name) {
  values.push_back({std::move(type), name.str(), range});
  return values.size() - 1;
}

std::vector<ValueId> Function::formals() const {
  std::vector<ValueId> formals = arguments;
  for (const Weight &weight : weights)
    formals.push_back(weight.value);
  formals.insert(formals.end(), numbers.begin(), numbers.end());
  formals.insert(formals.end(), invariants.begin(), invariants.end());
  return formals;
}

namespace {

class Printer {
public:
  explicit Printer(llvm::raw_ostream &os, bool withNumbers = true) : os(os), withNumbers(withNumbers) {}

  void type(const Type &type) {
    static constexpr llvm::StringRef kinds[] = {"rows", "tokens", "positions", "weight"};
    os << kinds[unsigned(type.kind)];
    for (const Dim &dim : type.dims)
      os << 'x' << dim.size;
  }

  void ids(llvm::ArrayRef<ValueId> list) {
    for (size_t i = 0; i < list.size(); ++i)
      os << (i ? ", %" : "%") << list[i];
  }

  void value(double number) { os << llvm::format("%.17g", number); }
  void value(int64_t number) { os << number; }
  void value(bool flag) { os << (flag ? "true" : "false"); }
  void value(const std::string &text) { os << text; }
  void value(const std::vector<double> &numbers) {
    os << '[';
    llvm::interleaveComma(numbers, os, [&](double number) { value(number); });
    os << ']';
  }

  void weight(const Weight &weight) {
    static constexpr llvm::StringRef kinds[] = {"constant", "normal",         "truncated_normal",
                                                "uniform",  "log_of_uniform", "step_bias"};
    os << "  weight %" << weight.value << " \"" << weight.name << "\" ";
    type(weight.type);
    for (const Initializer &init : withNumbers ? llvm::ArrayRef(weight.inits) : llvm::ArrayRef<Initializer>()) {
      os << ' ' << kinds[unsigned(init.kind)] << '(';
      value(init.a);
      os << ", ";
      value(init.b);
      os << ')';
    }
    for (const Factors &factors : withNumbers ? llvm::ArrayRef(weight.factors) : llvm::ArrayRef<Factors>())
      if (factors != Factors()) {
        os << " factors(";
        value(factors.learningRate);
        os << ", ";
        value(factors.weightDecay);
        os << ')';
      }
    for (const Stack &stack : weight.stacks)
      os << " layers(" << stack.first << ", " << stack.step << ", " << stack.count << ')';
    os << (weight.frozen ? " frozen\n" : "\n");
  }

  void op(const Op &op, const Function &function, llvm::StringRef callee) {
    os << "  ";
    ids(op.results);
    os << " = " << op.name << (callee.empty() ? "" : " @") << callee << ' ';
    ids(op.operands);
    for (const Attribute &attribute : op.attributes) {
      if (op.name == "constant" && !withNumbers)
        continue;
      os << ' ' << attribute.name << '=';
      std::visit([&](const auto &each) { value(each); }, attribute.value);
    }
    os << (op.recompute ? " recompute" : "") << (op.noFuse ? " no_fuse" : "") << " :";
    for (ValueId result : op.results) {
      os << ' ';
      type(function.values[result].type);
    }
    os << '\n';
  }

  void formals(llvm::StringRef kind, llvm::ArrayRef<ValueId> list, const Function &function) {
    for (ValueId each : list) {
      os << "  " << kind << " %" << each << ' ';
      type(function.values[each].type);
      os << '\n';
    }
  }

  /// `calleeName` prints how a call names a function.
  template <typename CalleeName>
  void function(const Function &function, CalleeName calleeName) {
    os << "(";
    for (size_t i = 0; i < function.arguments.size(); ++i) {
      os << (i ? ", %" : "%") << function.arguments[i] << ": ";
      type(function.values[function.arguments[i]].type);
    }
    os << ")\n";
    for (const Weight &each : function.weights)
      weight(each);
    formals("number", function.numbers, function);
    formals("invariant", function.invariants, function);
    for (const Op &each : function.ops)
      op(each, function, each.callee ? calleeName(*each.callee) : "");
    os << "  return ";
    ids(function.results);
    os << '\n';
  }

private:
  llvm::raw_ostream &os;
  const bool withNumbers;
};

} // namespace

std::string frontend::toString(const Program &program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Function &function : program.functions) {
    os << function.name;
    Printer(os).function(function, [&](unsigned callee) { return program.functions[callee].name; });
  }
  return text;
}

std::string frontend::structure(const Function &function) {
  return structure(function, [](unsigned callee) { return std::to_string(callee); }, /*withNumbers=*/true);
}

std::string frontend::structure(const Function &function, llvm::function_ref<std::string(unsigned)> calleeName,
                                bool withNumbers) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer(os, withNumbers).function(function, calleeName);
  return text;
}
