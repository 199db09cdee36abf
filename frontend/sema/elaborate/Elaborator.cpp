// The parts of the elaboration, each given those that it needs.
#include "frontend/sema/elaborate/Blocks.h"
#include "frontend/sema/elaborate/BuiltinCalls.h"
#include "frontend/sema/elaborate/Calls.h"
#include "frontend/sema/elaborate/Model.h"
#include "frontend/sema/elaborate/Repeats.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

struct Elaborator {
  Elaborator(const LoadedProgram &loaded, const ElaborationOptions &options, SourceFiles &sources,
             Diagnostics &diagnostics)
      : reporter(sources, diagnostics, program.provenances), budget(reporter), names(loaded, reporter),
        emitter(options, reporter, budget), functions(program.functions),
        expressions(reporter, budget, names, emitter, calls), builtins(options, reporter, emitter, expressions),
        blocks(reporter, budget, names, emitter, functions, statements),
        calls(reporter, names, emitter, expressions, builtins, blocks),
        repeats(reporter, budget, names, emitter, functions, expressions, statements),
        statements(reporter, budget, names, emitter, expressions, repeats),
        parameters(options, sources, diagnostics, reporter, names, expressions),
        model(loaded, options, reporter, names, emitter, parameters, statements) {}

  Program program;
  Reporter reporter;
  Budget budget;
  Names names;
  Emitter emitter;
  FunctionPool functions;
  Expressions expressions;
  BuiltinCalls builtins;
  Blocks blocks;
  Calls calls;
  Repeats repeats;
  Statements statements;
  ModelParameters parameters;
  Model model;
};

} // namespace

std::optional<Program> frontend::elaborate(const LoadedProgram &loaded, const ElaborationOptions &options,
                                           SourceFiles &sources, Diagnostics &diagnostics) {
  Elaborator elaborator(loaded, options, sources, diagnostics);
  if (!elaborator.model.elaborate(elaborator.program))
    return std::nullopt;
  elaborator.functions.finish();
  return std::move(elaborator.program);
}
