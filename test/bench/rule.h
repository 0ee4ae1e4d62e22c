/* The rules of src/engine for the C baselines: no tick, no lot, restart after a stop, pessimistic choice of path. Both loops share what a
 * candle with an event does; they differ in how they get from one such candle to the next. */
#ifndef RULE_H
#define RULE_H

#define TOUCH 1e-12
#define MAX_ORDERS 101

typedef struct {
  const double *open, *high, *low, *close;
  long count;
} Candles;

/* Levels of a deal: written at start price 1 for a config, scaled to each deal. */
typedef struct {
  int orders;
  double price[MAX_ORDERS], take_profit[MAX_ORDERS], stop[MAX_ORDERS], quantity[MAX_ORDERS], cost[MAX_ORDERS];
} Levels;

typedef struct {
  Levels table;
  double investment, budget, fee, slippage;
} Config;

typedef struct {
  long deals, stops, fills, ambiguous, held, unaffordable;
  int out_of_cash;
  double realized;
} Result;

typedef enum { STAYS, TAKES_PROFIT, STOPS_OUT } Exit;

typedef struct {
  int filled;
  Exit exit;
  double price;
} Outcome;

static inline int touches_buy(const Levels *l, int order, double price) { return price <= l->price[order] * (1 + TOUCH); }
static inline int touches_stop(const Levels *l, int filled, double price) {
  return l->stop[filled] > 0 && price <= l->stop[filled] * (1 + TOUCH);
}
static inline int touches_take_profit(const Levels *l, int filled, double price) {
  return price >= l->take_profit[filled] * (1 - TOUCH);
}

static inline int fill_down(const Levels *l, int filled, int placed, double price) {
  while (filled < placed && touches_buy(l, filled + 1, price)) filled++;
  return filled;
}

static inline Outcome walk_path(const Levels *l, int filled, int placed, double slippage, double open, double high, double low, double close,
                                int high_first) {
  filled = fill_down(l, filled, placed, open);
  if (touches_stop(l, filled, open)) {
    double price = l->stop[filled] < open ? l->stop[filled] : open;
    return (Outcome){filled, STOPS_OUT, price * (1 - slippage)};
  }
  if (touches_take_profit(l, filled, open)) return (Outcome){filled, TAKES_PROFIT, l->take_profit[filled]};
  if (high_first && touches_take_profit(l, filled, high)) return (Outcome){filled, TAKES_PROFIT, l->take_profit[filled]};
  filled = fill_down(l, filled, placed, low);
  if (touches_stop(l, filled, low)) return (Outcome){filled, STOPS_OUT, l->stop[filled] * (1 - slippage)};
  if (touches_take_profit(l, filled, high_first ? close : high)) return (Outcome){filled, TAKES_PROFIT, l->take_profit[filled]};
  return (Outcome){filled, STAYS, close};
}

/* Both paths, and the one that leaves less. */
static inline Outcome decide(const Config *c, const Levels *l, int filled, int placed, double open, double high, double low, double close,
                             long *ambiguous) {
  Outcome one = walk_path(l, filled, placed, c->slippage, open, high, low, close, 0);
  Outcome other = walk_path(l, filled, placed, c->slippage, open, high, low, close, 1);
  if (one.filled == other.filled && one.exit == other.exit && (one.exit == STAYS || one.price == other.price)) return one;
  ++*ambiguous;
  double gain = (l->quantity[other.filled] * other.price * (1 - c->fee) - l->cost[other.filled]) -
                (l->quantity[one.filled] * one.price * (1 - c->fee) - l->cost[one.filled]);
  double larger = l->cost[one.filled] > l->cost[other.filled] ? l->cost[one.filled] : l->cost[other.filled];
  return gain < -TOUCH * larger ? other : one;
}

static inline void scale_levels(const Levels *table, double price, Levels *l) {
  l->orders = table->orders;
  for (int k = 0; k < table->orders; k++) {
    l->price[k] = table->price[k] * price;
    l->take_profit[k] = table->take_profit[k] * price;
    l->stop[k] = table->stop[k] * price;
    l->quantity[k] = table->quantity[k] / price;
    l->cost[k] = table->cost[k];
  }
}

/* Orders that fit the cap, base order first. */
static inline int affordable(const Levels *l, double budget, double cash) {
  double limit = (budget < cash ? budget : cash) * (1 + 1e-9);
  int count = 0;
  while (count < l->orders && l->cost[count] <= limit) count++;
  return count;
}

static inline double profit_of(const Config *c, const Levels *l, Outcome o) {
  return l->quantity[o.filled] * o.price * (1 - c->fee) - l->cost[o.filled];
}

/* One config on all candles; plain.c and lean.c each have one. */
Result run(const Candles *candles, const Config *config);

#endif
