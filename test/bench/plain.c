/* The ordinary loop: every candle asks the deal whether it touches one of its levels. */
#include "rule.h"

Result run(const Candles *candles, const Config *config) {
  Result r = {0};
  Levels levels;
  int in_deal = 0, filled = 0, placed = 0;
  double cash = config->investment;
  for (long i = 0; i < candles->count; i++) {
    double open = candles->open[i], high = candles->high[i], low = candles->low[i], close = candles->close[i];
    if (!in_deal) {
      scale_levels(&config->table, open * (1 + config->slippage), &levels);
      int orders = affordable(&levels, config->budget, cash);
      if (orders == 0) {
        r.out_of_cash = 1;
        break;
      }
      r.unaffordable += levels.orders - orders;
      placed = orders - 1;
      filled = 0;
      in_deal = 1;
    }
    r.held++;
    if (touches_take_profit(&levels, filled, high) || touches_stop(&levels, filled, low) ||
        (filled < placed && touches_buy(&levels, filled + 1, low))) {
      Outcome outcome = decide(config, &levels, filled, placed, open, high, low, close, &r.ambiguous);
      filled = outcome.filled;
      if (outcome.exit != STAYS) {
        double profit = profit_of(config, &levels, outcome);
        r.realized += profit;
        cash += profit;
        r.deals++;
        r.fills += filled;
        if (outcome.exit == STOPS_OUT) r.stops++;
        in_deal = 0;
      }
    }
  }
  return r;
}
