// The people of Capo, each a pure function of its number.
#include "tasks/capo/people.h"

namespace stretto::tasks {

// Uses of the world's seed.
static constexpr uint32_t attributeStream = 2, nameStream = 3;

People::People(const Lists &lists, uint64_t count, uint64_t world)
    : number(count), world(world), middles(lists.middle.size()), lasts(lists.last.size()), cities(lists.cities.size()),
      universities(lists.universities.size()), majors(lists.majors.size()), employers(lists.employers.size()),
      names(lists.names(), world, nameStream, 0) {}

Person People::operator[](uint64_t i) const {
  const uint64_t name = names(i);
  Random random(world, attributeStream, i);
  auto below = [&](uint64_t bound) { return uint32_t(random.below(bound)); };
  Person person{};
  person.last = uint32_t(name % lasts);
  person.middle = uint32_t(name / lasts % middles);
  person.first = uint32_t(name / lasts / middles);
  person.day = below(birthDays);
  person.month = below(birthMonths);
  person.year = below(birthYears);
  person.city = below(cities);
  person.university = below(universities);
  person.major = below(majors);
  person.employer = below(employers);
  person.she = i % 2;
  return person;
}

} // namespace stretto::tasks
