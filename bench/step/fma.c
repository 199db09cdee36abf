/* For each line of input: billions of floating point operations a second of a loop of multiply-adds, on one
 * thread and on two at once. Two virtual processors that share one physical core show here as a ratio near 1. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#ifdef __AVX512F__
enum { lanes = 16 };
#else
enum { lanes = 8 }; /* vectors of two registers would not leave room for all chains */
#endif
enum { chains = 12, rounds = 400000 };
typedef float vector __attribute__((vector_size(lanes * sizeof(float))));

static volatile float half = 0.5f;

static void *spin(void *result) {
  vector sums[chains], factor = (vector){0} + half;
  for (int j = 0; j < chains; ++j)
    sums[j] = factor + (float)j; /* chains that differ cannot be made one */
  for (int i = 0; i < rounds; ++i)
    for (int j = 0; j < chains; ++j)
      sums[j] = sums[j] * factor + 1.0f;
  for (int j = 1; j < chains; ++j)
    sums[0] += sums[j];
  float total = 0; /* all lanes count, so that none is left out */
  for (int j = 0; j < lanes; ++j)
    total += sums[0][j];
  *(volatile float *)result = total;
  return 0;
}

static double rate(int threads) {
  struct timespec start, end;
  pthread_t other;
  float results[2];
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (threads == 2)
    pthread_create(&other, 0, spin, &results[1]);
  spin(&results[0]);
  if (threads == 2)
    pthread_join(other, 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
  return 2e-9 * threads * lanes * chains * (double)rounds / seconds;
}

int main(void) {
  while (getchar() != EOF) {
    printf("%.1f %.1f\n", rate(1), rate(2));
    fflush(stdout);
  }
}
