/* Reads a case file (bench/c-baselines.ts writes it), runs every config, prints CPU seconds and one line of decisions per config. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "rule.h"

static double *read_doubles(FILE *file, long count) {
  double *values = malloc(sizeof(double) * (count > 0 ? count : 1));
  if (values == NULL || fread(values, sizeof(double), count, file) != (size_t)count) exit(2);
  return values;
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) return 2;
  double *sizes = read_doubles(file, 2);
  long count = (long)sizes[0], configs = (long)sizes[1];
  Candles candles = {read_doubles(file, count), read_doubles(file, count), read_doubles(file, count), read_doubles(file, count), count};
  Config *all = malloc(sizeof(Config) * configs);
  Result *results = malloc(sizeof(Result) * configs);
  for (long c = 0; c < configs; c++) {
    double *head = read_doubles(file, 5);
    int orders = (int)head[0];
    all[c] = (Config){.table = {.orders = orders}, .investment = head[1], .budget = head[2], .fee = head[3], .slippage = head[4]};
    for (int k = 0; k < orders; k++) {
      double *row = read_doubles(file, 5);
      all[c].table.price[k] = row[0];
      all[c].table.take_profit[k] = row[1];
      all[c].table.stop[k] = row[2];
      all[c].table.quantity[k] = row[3];
      all[c].table.cost[k] = row[4];
      free(row);
    }
    free(head);
  }
  double started = cpu_seconds();
  for (long c = 0; c < configs; c++) results[c] = run(&candles, &all[c]);
  printf("%.9f\n", cpu_seconds() - started);
  for (long c = 0; c < configs; c++) {
    Result *r = &results[c];
    printf("%ld %ld %ld %ld %ld %ld %d %.17g\n", r->deals, r->stops, r->fills, r->ambiguous, r->held, r->unaffordable, r->out_of_cash, r->realized);
  }
  return 0;
}
