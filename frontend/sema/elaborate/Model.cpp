// The model that is compiled: which one, and what it returns.
#include "frontend/sema/elaborate/Model.h"

#include "frontend/sema/elaborate/UnreadParameters.h"
#include "frontend/sema/elaborate/UnreadWeights.h"
#include "ir/seq/BatchLimit.h"

#include "llvm/ADT/StringExtras.h"

using namespace stretto;
using namespace stretto::frontend;

const Declaration *Model::find() {
  std::vector<const Declaration *> models;
  std::vector<llvm::StringRef> known;
  for (const auto &declaration : loaded.main().tree.declarations)
    if (declaration->kind == Declaration::Kind::Model && !llvm::is_contained(known, declaration->name.text)) {
      models.push_back(declaration.get());
      known.push_back(declaration->name.text);
    }
  for (const Declaration *model : models)
    if (model->name.text == options.model)
      return model;
  SourceRange begin{loaded.main().tree.file, 0, 0};
  const std::string nearest = didYouMean(options.model, known), all = "--model " + llvm::join(known, " or --model ");
  if (!options.model.empty() && !models.empty())
    reporter.error(begin,
                   "the file has no model '" + options.model + "'" + (nearest.empty() ? "; give " + all : nearest));
  else if (models.empty())
    reporter.error(begin, "the file declares no model");
  else if (models.size() == 1)
    return models.front();
  else
    reporter.error(models[1]->range, "the file declares several models: say which one to compile, by " + all);
  return nullptr;
}

bool Model::checkShape() {
  if (options.batch >= 1 && options.length >= 1 && fitsBatch(options.batch, options.length))
    return true;
  reporter.error({}, "batch and length must be at least 1 and batch * length at most " + llvm::Twine(mostBatchTokens) +
                         ", but got " + llvm::Twine(options.batch) + " and " + llvm::Twine(options.length));
  return false;
}

bool Model::elaborate(Program &program) {
  const Declaration *model = find();
  if (!checkShape() || !model)
    return false;
  FunctionBuilder main;
  main.isModel = true;
  Scope scope(Scope::Kind::Frame, names.fileScope(loaded.main()), &model->body);
  auto into = emitter.enter(main);
  auto within = names.enterModel(scope);
  parameters.bind(*model, program.parameters);
  // Without its parameters nothing in the body makes sense.
  if (reporter.hasErrors())
    return false;
  for (const StmtPtr &stmt : model->body)
    if (auto *declaration = llvm::dyn_cast<DeclarationStmt>(stmt.get()))
      names.declare(scope, *declaration->declaration);
  ValueId tokens = main.function.addValue(emitter.tokensType(), model->name.range, "tokens");
  main.function.arguments.push_back(tokens);
  scope.bind("tokens", Tensor{&main, tokens});
  if (!runBody(*model, main.function))
    return false;
  statements.unread.note(main);
  statements.unread.warn(reporter);
  warnOfUnreadParameters(loaded, *model, reporter);
  program.model = model->name.text.str();
  program.batch = options.batch;
  program.length = options.length;
  program.vocabulary =
      options.vocabulary > 0 ? options.vocabulary : main.function.values[main.function.results[0]].type.width().size;
  program.functions.push_back(std::move(main.function));
  warnOfUnreadWeights(program.functions, reporter);
  return true;
}

/// False after an error.
bool Model::runBody(const Declaration &model, Function &main) {
  std::vector<Value> results;
  bool hasReturned = statements.runFunction(model.body, results);
  if (!hasReturned && !reporter.hasErrors())
    reporter.error(model.range,
                   "the model '" + model.name.text + "' returns nothing; end it with 'return' of the logits");
  if (reporter.hasErrors())
    return false;
  main.name = "main";
  main.range = model.range;
  for (const Value &result : results)
    main.results.push_back(result.get<Tensor>()->id);
  return checkResults(model, main);
}

/// Reports unless a value may be added to the loss of each token.
bool Model::checkAdded(const ValueInfo &added) {
  if (added.type.isRows() && added.type.width().size == 1)
    return true;
  Diagnostic &diagnostic =
      reporter.error(statements.returnPlace(),
                     "what is added to the loss must be a number for each token, [batch, length, 1], but got " +
                         added.type.describe());
  if (added.type.isRows())
    noteOrigin(diagnostic, added.type.width().provenance);
  return false;
}

/// Reports unless the model returns logits of a vocabulary that is large enough, and perhaps a number for each token.
bool Model::checkResults(const Declaration &model, const Function &main) {
  if (main.results.size() > 2) {
    reporter.error(statements.returnPlace(),
                   "a model must return logits, and perhaps what is added to the loss of each "
                   "token, but returns " +
                       llvm::Twine(main.results.size()) + " tensors");
    return false;
  }
  const ValueInfo &logits = main.values[main.results[0]];
  if (!logits.type.isRows()) {
    reporter.error(statements.returnPlace(),
                   "a model must return logits [batch, length, vocabulary], but got " + logits.type.describe());
    return false;
  }
  if (main.results.size() == 2 && !checkAdded(main.values[main.results[1]]))
    return false;
  if (logits.type.width().size >= options.vocabulary)
    return true;
  const SourceRange place = main.results.size() == 1 ? logits.range : statements.returnPlace();
  Diagnostic &diagnostic =
      reporter.error(place, "the model must return a logit for each of the " + llvm::Twine(options.vocabulary) +
                                " tokens of the task, but returns " + logits.type.str());
  noteOrigin(diagnostic, logits.type.width().provenance);
  return false;
}
