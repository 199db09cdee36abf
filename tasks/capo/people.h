// The people of Capo, each a pure function of its number.
#pragma once

#include "tasks/capo/lists.h"
#include "tasks/common/permutation.h"

namespace stretto::tasks {

// Indices into the lists.
struct Person {
  uint32_t first, middle, last;
  uint32_t day, month, year; // from 0
  uint32_t city, university, major, employer;
  bool she; // odd numbers
};

// Birth dates: 12 months of 28 days in the years 1900 .. 2099.
inline constexpr uint32_t birthYears = 200, firstBirthYear = 1900, birthMonths = 12, birthDays = 28;

// `count` people with distinct names. Attributes are independent and uniform.
class People {
public:
  // count must not exceed lists.names(). The world is the seed of names and attributes.
  People(const Lists &lists, uint64_t count, uint64_t world);

  Person operator[](uint64_t number) const;
  uint64_t count() const { return number; }

private:
  uint64_t number, world;
  uint64_t middles, lasts, cities, universities, majors, employers;
  Permutation names;
};

} // namespace stretto::tasks
