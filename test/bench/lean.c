/* The leanest scalar loop we know: two comparisons per candle with thresholds in registers; everything else in a function of its own. */
#include <math.h>
#include "rule.h"

#ifndef NEXT_EVENT
#define NEXT_EVENT next_event
static inline long next_event(const double *low, const double *high, long i, long count, double floor, double ceiling) {
  while (i < count && low[i] > floor && high[i] < ceiling) i++;
  return i;
}
#endif

typedef struct {
  Result r;
  Levels levels;
  int filled, placed;
  double cash, floor, ceiling;
} Bot;

static void set_thresholds(Bot *b) {
  const Levels *l = &b->levels;
  if (b->filled < b->placed) b->floor = l->price[b->filled + 1] * (1 + TOUCH);
  else b->floor = l->stop[b->filled] > 0 ? l->stop[b->filled] * (1 + TOUCH) : -INFINITY;
  b->ceiling = l->take_profit[b->filled] * (1 - TOUCH);
}

static __attribute__((noinline)) int open_deal(Bot *b, const Config *config, double open) {
  scale_levels(&config->table, open * (1 + config->slippage), &b->levels);
  int orders = affordable(&b->levels, config->budget, b->cash);
  if (orders == 0) {
    b->r.out_of_cash = 1;
    return 0;
  }
  b->r.unaffordable += b->levels.orders - orders;
  b->placed = orders - 1;
  b->filled = 0;
  set_thresholds(b);
  return 1;
}

/* Returns 1 when the deal has closed. */
static __attribute__((noinline)) int handle_event(Bot *b, const Config *config, const Candles *c, long i) {
  Outcome outcome = decide(config, &b->levels, b->filled, b->placed, c->open[i], c->high[i], c->low[i], c->close[i], &b->r.ambiguous);
  b->filled = outcome.filled;
  if (outcome.exit == STAYS) {
    set_thresholds(b);
    return 0;
  }
  double profit = profit_of(config, &b->levels, outcome);
  b->r.realized += profit;
  b->cash += profit;
  b->r.deals++;
  b->r.fills += outcome.filled;
  if (outcome.exit == STOPS_OUT) b->r.stops++;
  return 1;
}

Result run(const Candles *candles, const Config *config) {
  Bot b = {.cash = config->investment};
  const double *low = candles->low, *high = candles->high;
  const long count = candles->count;
  long i = 0;
  while (i < count && open_deal(&b, config, candles->open[i])) {
    long start = i;
    int closed = 0;
    while (!closed) {
      const double floor = b.floor, ceiling = b.ceiling;
      i = NEXT_EVENT(low, high, i, count, floor, ceiling);
      if (i == count) break;
      closed = handle_event(&b, config, candles, i++);
    }
    b.r.held += i - start;
  }
  return b.r;
}
