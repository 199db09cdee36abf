// Times the membership test and the exact next-token distribution of Lano: stretto_bench_lano GRAMMAR, then one string
// of terminals (their numbers, from 1) a line on the standard input. Answers each with one line: seconds of the
// processor for the test, 1 or 0 for in or out, ";", seconds for the distribution, the width of its rows, all their
// numbers.
#include "tasks/lano/next_tokens.h"
#include "tasks/lano/parser.h"

#include <cstdio>
#include <ctime>
#include <iostream>
#include <sstream>

using namespace stretto;
using namespace stretto::tasks;

static double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

int main(int argc, char **argv) {
  const Grammar grammar = findGrammar(argc > 1 ? argv[1] : "cfg3k");
  Parser parser(grammar);
  NextTokens next(grammar);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::vector<int32_t> tokens;
    for (int32_t token; words >> token;)
      tokens.push_back(token - 1);
    const double start = now();
    const bool inside = parser.accepts(tokens);
    const double middle = now();
    const std::vector<double> rows = next.rows(tokens);
    const double end = now();
    std::printf("%.9f %d; %.9f %d", middle - start, inside, end - middle, grammar.terminals + 1);
    for (double p : rows)
      std::printf(" %.17g", p);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
