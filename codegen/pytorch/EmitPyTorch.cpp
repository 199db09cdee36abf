//===- EmitPyTorch.cpp - a model as PyTorch source ------------------------===//
#include "codegen/pytorch/EmitPyTorch.h"

#include "codegen/pytorch/FunctionPrinter.h"
#include "codegen/pytorch/InlineLoops.h"
#include "codegen/pytorch/Prelude.h"
#include "ir/seq/Documents.h"
#include "ir/seq/LossTerms.h"
#include "ir/seq/ModelFacts.h"

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

// ---------------------------------------------------------------- the pieces of the prelude

/// Whether the text calls the function or class.
static bool calls(llvm::StringRef text, llvm::StringRef name) {
  std::string opening = name.str() + "(";
  for (size_t at = text.find(opening); at != llvm::StringRef::npos; at = text.find(opening, at + 1))
    if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_'))
      return true;
  return false;
}

/// "def canon(x, ...)" -> "canon"
static llvm::StringRef pieceName(llvm::StringRef piece) {
  return piece.split(' ').second.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static std::string &addedHelpers() {
  static std::string text;
  return text;
}

void stretto::codegen::addPyTorchHelpers(llvm::StringRef text) { addedHelpers() += "\n\n\n" + text.trim().str(); }

static std::string allHelpers() { return kPrelude.rtrim().str() + addedHelpers(); }

bool stretto::codegen::isPyTorchHelper(llvm::StringRef name) {
  return llvm::StringRef(allHelpers()).contains(("\ndef " + name + "(").str());
}

/// The imports, then the helpers that the text needs, directly or through each other.
static std::string preludeFor(llvm::StringRef text) {
  SmallVector<llvm::StringRef> pieces;
  const std::string helpers = allHelpers();
  llvm::StringRef(helpers).split(pieces, "\n\n\n");
  llvm::StringRef imports = pieces[0].split('\n').second; // without the comment
  std::string needed = text.str() + "Weights()";          // the base class of the model
  llvm::DenseSet<size_t> chosen;
  for (size_t count = size_t(-1); count != chosen.size();) {
    count = chosen.size();
    for (size_t i = 1; i < pieces.size(); ++i)
      if (!chosen.contains(i) && calls(needed, pieceName(pieces[i]))) {
        chosen.insert(i);
        needed += pieces[i];
      }
  }
  std::string result = imports.rtrim().str() + "\n\n\n";
  for (size_t i = 1; i < pieces.size(); ++i)
    if (chosen.contains(i))
      result += pieces[i].trim().str() + "\n\n\n";
  return result;
}

// ---------------------------------------------------------------- the model

namespace {
class ModulePrinter {
public:
  ModulePrinter(ModuleOp module, llvm::raw_ostream &os) : module(module), weights(module), os(os) {}
  LogicalResult print();

private:
  void nameFunctions();
  LogicalResult printFunction(func::FuncOp function);
  LogicalResult printModel(func::FuncOp main);
  void printDeclarations();
  void printDeclaration(seq::ParameterOp parameter, int indent);
  void printLoss(bool hasAdded);
  void printLoader();
  void printGroups();

  ModuleOp module;
  WeightPaths weights;
  llvm::raw_ostream &os;
  PythonNames names;
  std::string model;
};
} // namespace

void ModulePrinter::nameFunctions() {
  names.reserved = python::reservedNames(allHelpers());
  names.isMasked = documentsOf(module).has_value();
  module.walk([&](Operation *op) {
    names.hasPositions |= isa<seq::PositionsOp>(op);
    names.hasTargets |= isa<seq::TokenLossOp>(op);
    names.hasDropout |= isa<seq::DropoutOp>(op);
  });
  names.hasPositions |= names.isMasked;
  if (names.hasPositions)
    names.reserved.insert("positions");
  if (names.hasTargets)
    names.reserved.insert("targets");
  if (names.hasDropout)
    names.reserved.insert("dropout_keys");
  auto take = [&](llvm::StringRef hint) {
    std::string name = python::freshName(hint, [&](llvm::StringRef each) { return names.reserved.contains(each); });
    names.reserved.insert(name);
    return name;
  };
  auto attribute = module->getAttrOfType<StringAttr>(modelAttr);
  model = take(python::className(attribute ? attribute.getValue() : "model"));
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned group = 0; group < weights.countGroups(function); ++group)
      names.reserved.insert(python::groupName(group));
  for (auto function : module.getOps<func::FuncOp>())
    names.functions[function] = take(python::identifier(function.getName()));
}

LogicalResult ModulePrinter::printFunction(func::FuncOp function) {
  FunctionPrinter printer(function, weights, names, /*isEntry=*/false);
  os << "def " << names.functions.lookup(function) << "(" << printer.formals() << "):\n";
  if (failed(printer.print(os, 4)))
    return failure();
  os << "\n\n";
  return success();
}

static std::string logarithm(const APFloat &number) {
  return python::number(APFloat(std::log(number.convertToDouble())));
}

static std::string initialiser(seq::InitAttr init) {
  APFloat a = init.getA().getValue(), b = init.getB().getValue();
  std::string first = python::number(a), second = python::number(b);
  switch (init.getKind()) {
  case seq::InitKind::constant:
    return "nn.init.constant_(x, " + first + ")";
  case seq::InitKind::normal:
    return "nn.init.normal_(x, " + first + ", " + second + ")";
  case seq::InitKind::truncated_normal: {
    std::string bound = python::number(a * b);
    return "nn.init.trunc_normal_(x, 0.0, " + first + ", -" + bound + ", " + bound + ")";
  }
  case seq::InitKind::uniform:
    return "nn.init.uniform_(x, " + first + ", " + second + ")";
  case seq::InitKind::log_of_uniform: // PyTorch may draw the lower bound, but not the upper one: not 0
    return "nn.init.uniform_(x.data, -" + second + ", -" + first + ").neg_().log_()";
  case seq::InitKind::step_bias: // the inverse of softplus at y is y + log(-expm1(-y))
    return "nn.init.uniform_(x.data, " + logarithm(a) + ", " + logarithm(b) +
           ").exp_().add_(torch.log(-torch.expm1(-x.data)))";
  }
  llvm_unreachable("a kind of initialisation");
}

/// A function of a weight; where layers begin unlike, that of layer `i`.
static std::string initialiserOf(seq::ParameterOp parameter) {
  auto part = cast<seq::PartAttr>(parameter.getParts()[0]);
  if (part.getInits().size() == 1)
    return "lambda x: " + initialiser(part.getInits()[0]);
  std::string text = "{";
  for (auto [place, init] : llvm::enumerate(part.getInits()))
    text += (place ? ", " : "") + std::to_string(parameter.getFirst() + place * parameter.getStep()) +
            ": lambda x: " + initialiser(init);
  return text + "}[i]";
}

void ModulePrinter::printDeclaration(seq::ParameterOp parameter, int indent) {
  auto part = cast<seq::PartAttr>(parameter.getParts()[0]);
  std::string shape;
  for (int64_t size : parameter.getLayerShape())
    shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  if (parameter.getLayerShape().size() == 1)
    shape += ",";
  os.indent(indent) << "self.declare(" << python::quoted(part.getName(), "i") << ", (" << shape << "), "
                    << initialiserOf(parameter) << (parameter.getFrozen() ? ", trainable=False" : "") << ")\n";
}

/// Weights of the same layers share a loop.
void ModulePrinter::printDeclarations() {
  std::string open;
  for (auto parameter : module.getOps<seq::ParameterOp>()) {
    std::string loop;
    if (parameter.getStacked()) {
      int64_t count = parameter.getTensorType().getDimSize(0);
      loop = "for i in " + python::range(parameter.getFirst(), parameter.getStep(), count) + ":";
      if (loop != open)
        os.indent(8) << loop << "\n";
    }
    open = loop;
    printDeclaration(parameter, loop.empty() ? 8 : 12);
  }
}

LogicalResult ModulePrinter::printModel(func::FuncOp main) {
  FunctionPrinter printer(main, weights, names, /*isEntry=*/true);
  os << "class " << model << "(Weights):\n"
     << "    \"\"\"forward(tokens [batch, time]" << (names.isMasked ? ", positions [batch, time]" : "")
     << (names.hasTargets ? ", targets [batch, time]" : "") << (names.hasDropout ? ", dropout_keys=None" : "")
     << ") gives the logits of the next token [batch, time, vocabulary]"
     << (main.getNumResults() > 1 ? ",\n    and what is added to the loss of each token [batch, time, 1]." : ".")
     << (names.isMasked ? " Positions count from the first\n    token of each document: 0, 1, ...; documents do "
                          "not see each other."
                        : "")
     << (names.hasDropout ? "\n    Nothing is dropped out without the keys of these tokens in training, "
                            "keys_of_dropout(seed, first, batch, time), first of\n    all its sequences."
                          : "")
     << "\"\"\"\n\n"
     << "    def __init__(self):\n"
     << "        super().__init__()\n";
  printDeclarations();
  std::string formals = printer.formals();
  os << "\n    def forward(self, " << formals << "):\n";
  llvm::StringRef tokens = llvm::StringRef(formals).split(',').first;
  if (names.hasPositions && !names.isMasked)
    os.indent(8) << "positions = torch.arange(" << tokens << ".shape[1], device=" << tokens << ".device).expand_as("
                 << tokens << ")\n";
  return printer.print(os, 8);
}

static std::string square(double coefficient, llvm::StringRef name) {
  return coefficient == 0 ? "" : " + " + python::number(APFloat(coefficient)) + " * " + name.str() + ".square()";
}

/// `hasAdded`: whether the model gives what is added beside the logits.
void ModulePrinter::printLoss(bool hasAdded) {
  LossTerms terms = lossTermsOf(module);
  os << "\n\ndef loss(" << (hasAdded ? "outputs" : "logits") << ", targets, weights):\n"
     << "    \"\"\"The sum over tokens that training makes small; targets and weights are [batch, time].\"\"\"\n"
     << (hasAdded ? "    logits, added = outputs\n" : "")
     << "    nll = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction=\"none\").view_as(weights)\n";
  if (terms.zLoss != 0)
    os << "    z = logits.logsumexp(-1)\n";
  std::string more =
      square(terms.nllSquare, "nll") + square(terms.zLoss, "z") + (hasAdded ? " + added.squeeze(-1)" : "");
  os << "    return (weights * " << (more.empty() ? "nll" : "(nll" + more + ")") << ").sum()\n";
}

void ModulePrinter::printLoader() {
  os << "\n\ndef load_stretto(path):\n"
     << "    \"\"\"The model with the weights of a checkpoint, in its precision.\"\"\"\n"
     << "    tensors = read_stretto(path)\n"
     << "    model = " << model << "().to(next(iter(tensors.values())).dtype)\n"
     << "    model.load_state_dict(tensors)\n"
     << "    return model\n";
}

/// The factors of learning rates and weight decays by the names of weights, where these are not 1.
static std::string factorsOf(seq::ParameterOp parameter) {
  std::string text;
  auto part = cast<seq::PartAttr>(parameter.getParts()[0]);
  for (int64_t layer = 0; layer < parameter.getLayers(); ++layer)
    if (seq::FactorsAttr factors = part.getFactors(layer))
      text += "        \"" + part.getNameIn(parameter.getFirst() + layer * parameter.getStep()) + "\": (" +
              python::number(factors.getLearningRate().getValue()) + ", " +
              python::number(factors.getWeightDecay().getValue()) + "),\n";
  return text;
}

void ModulePrinter::printGroups() {
  std::string factors;
  for (auto parameter : module.getOps<seq::ParameterOp>())
    factors += factorsOf(parameter);
  if (factors.empty())
    return;
  os << "\n\ndef parameter_groups(model, lr, weight_decay):\n"
     << "    \"\"\"The weights for an optimizer, in groups of one learning rate and weight decay.\"\"\"\n"
     << "    factors = {\n"
     << factors << "    }\n"
     << "    groups = {}\n"
     << "    for name, weight in model.named_parameters():\n"
     << "        groups.setdefault(factors.get(name, (1, 1)), []).append(weight)\n"
     << "    return [{\"params\": weights, \"lr\": lr * rate, \"weight_decay\": weight_decay * decay}\n"
     << "            for (rate, decay), weights in groups.items()]\n";
}

LogicalResult ModulePrinter::print() {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return module.emitError() << "a model must have a function @main to have a PyTorch form";
  nameFunctions();
  for (auto function : module.getOps<func::FuncOp>())
    if (function != main && !function.isExternal() && failed(printFunction(function)))
      return failure();
  if (failed(printModel(main)))
    return failure();
  printLoss(main.getNumResults() > 1);
  printLoader();
  printGroups();
  return success();
}

LogicalResult stretto::codegen::emitPyTorch(ModuleOp module, llvm::raw_ostream &os) {
  OwningOpRef<ModuleOp> own = module.clone();
  inlineLoops(*own);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(ModulePrinter(*own, stream).print()))
    return failure();
  auto model = module->getAttrOfType<StringAttr>(modelAttr);
  os << "\"\"\"" << (model ? model.getValue() : "A model") << ", written by stretto. Any batch and length.\"\"\"\n"
     << preludeFor(text) << text;
  return success();
}
