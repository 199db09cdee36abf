// Times the membership test and the exact next-token distribution of Lano: stretto_bench_lano GRAMMAR, then one string of
// terminals (their numbers, from 1) a line on the standard input. Answers each with one line: seconds of the processor
// for the test, 1 or 0 for in or out, seconds for the distribution, the log-probability of the string in nats (without
// its end).
#include "tasks/lano/next_tokens.h"
#include "tasks/lano/parser.h"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <sstream>

using namespace stretto;

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
    double likelihood = 0;
    const size_t width = size_t(grammar.terminals) + 1;
    for (size_t k = 0; k < tokens.size() && (k + 1) * width <= rows.size(); ++k)
      likelihood += std::log(rows[k * width + size_t(tokens[k]) + 1]);
    std::printf("%.9f %d %.9f %.15g\n", middle - start, inside, end - middle, likelihood);
    std::fflush(stdout);
  }
  return 0;
}
