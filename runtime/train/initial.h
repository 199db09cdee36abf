// First values of parameters and constant tables, as the compiled program describes them.
#pragma once

#include "runtime/train/state.h"

namespace stretto::runtime {

// Element `index` of a parameter: a function of seed, parameter name and element index alone, so that the
// bits depend neither on the layout of the arena nor on threads. Normals by Box and Muller (Ann. Math.
// Statist. 29, 1958), computed in double.
double initialValue(const stretto_parameter &parameter, uint64_t seed, uint64_t nameHash, uint64_t index);
uint64_t parameterNameHash(const char *name);

// Fills PARAMETERS.
void initialiseParameters(const TrainingState &state, uint64_t seed);

// Brings ROUNDED up to date with PARAMETERS; needed whenever these were written by anybody but an update. Waits.
void roundParameters(const TrainingState &state);

// Row and column of a table, see stretto_table_kind.
double tableValue(const stretto_table &table, int64_t row, int64_t column);
// Fills TABLES, and what FACTORS has of the rows whose moments are held.
void fillTables(const TrainingState &state);

} // namespace stretto::runtime
