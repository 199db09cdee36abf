//===- PrintDiagnostic.cpp - messages about places in specs and IR ------------===//
#include "tools/stretto-compile/PrintDiagnostic.h"

#include "codegen/facts/Locations.h"
#include "frontend/Frontend.h"
#include "frontend/diagnostics/Characters.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace stretto;

static llvm::StringRef kindOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    return "note";
  }
  llvm_unreachable("a severity that is not listed");
}

void stretto::tools::printDiagnostic(Diagnostic &diagnostic, llvm::raw_ostream &os) {
  SmallVector<codegen::SourceLocation> locations = codegen::listLocations(diagnostic.getLocation());
  const std::string place = locations.empty() ? "stretto" : locations[0].text();
  os << frontend::printable(place) << ": " << kindOf(diagnostic.getSeverity()) << ": ";
  const std::string text = diagnostic.str();
  for (llvm::StringRef line : llvm::split(text, '\n')) // those of an assembler are several
    os << frontend::printable(line) << '\n';
  if (!locations.empty())
    frontend::printPlace(locations[0].file, locations[0].line, locations[0].column, os);
  for (Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, os);
}
