#!/usr/bin/env python3
"""How long other backtesters take for one ladder on the same candles.

    npm run build
    node dist/main.js candles generate --market synthetic/BENCH-USDT --from 2024-01-01 --days 365 --seed 1
    node dist/main.js candles export synthetic/BENCH-USDT --out year.csv
    pip install vectorbt backtesting        # whichever you want to see
    python3 test/bench/peers.py year.csv

Prints milliseconds of processor time per config-year for every peer that is installed, and the deals it made: compare the time with `npm run bench`,
first table. A plain Python loop always runs, so that there is something to compare with where no peer is installed.

All of them get the same ladder (below) and are asked the same question once per candle: is the next order, or the take profit, touched?
What they do then is their own: backtesting.py trades at the next open, vectorbt places one order per candle. So the deals differ a
little from ours, and only the time is to be compared. Profit alone is measured, no other statistic.
"""
import csv
import sys
import time

# The config of bench.ts, programs: orders, their first step and its multiplier, their volume scale, take profit; fee per fill.
SAFETY_ORDERS, STEP, STEP_MULTIPLIER, VOLUME_SCALE, TAKE_PROFIT, FEE = 5, 0.01, 1.2, 1.4, 0.01, 0.001
BASE, CASH = 20.0, 1000.0
MINUTES_OF_A_YEAR = 525_600


def ladder():
    """Rows of (price, average price, quote of the order), for a deal that starts at price 1."""
    rows, depth, step, size, quote, quantity = [], 0.0, STEP, BASE, 0.0, 0.0
    for order in range(SAFETY_ORDERS + 1):
        price = 1 - depth
        quote += size
        quantity += size / price
        rows.append((price, quote / quantity, size))
        depth += step
        step *= STEP_MULTIPLIER
        size *= VOLUME_SCALE
    return rows


LADDER = ladder()


def read_candles(path):
    """Columns open, high, low, close of an exported CSV."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [[float(row[name]) for row in rows] for name in ("open", "high", "low", "close")]


def plain_python(opens, highs, lows, closes):
    """The ordinary loop: orders fill at their price, the take profit at its own, buys first."""
    deals, filled, start = 0, -1, 0.0
    for open_, high, low in zip(opens, highs, lows):
        if filled < 0:
            start, filled = open_, 0
        while filled < SAFETY_ORDERS and low <= start * LADDER[filled + 1][0]:
            filled += 1
        if high >= start * LADDER[filled][1] * (1 + TAKE_PROFIT):
            deals, filled = deals + 1, -1
    return deals


def backtesting_py(opens, highs, lows, closes):
    import pandas
    from backtesting import Backtest, Strategy

    class Ladder(Strategy):
        filled, start = -1, 0.0

        def init(self):
            pass

        def next(self):
            if self.filled < 0:
                self.start, self.filled = self.data.Close[-1], 0
                self.buy(size=LADDER[0][2] / CASH)
            elif self.filled < SAFETY_ORDERS and self.data.Low[-1] <= self.start * LADDER[self.filled + 1][0]:
                self.filled += 1
                self.buy(size=LADDER[self.filled][2] / CASH)
            elif self.data.High[-1] >= self.start * LADDER[self.filled][1] * (1 + TAKE_PROFIT):
                self.filled = -1
                self.position.close()

    index = pandas.date_range("2024-01-01", periods=len(opens), freq="min")
    frame = pandas.DataFrame({"Open": opens, "High": highs, "Low": lows, "Close": closes}, index=index)
    # Whole units only: prices are made small, so that an order is many of them.
    result = Backtest(frame / 1e6, Ladder, cash=CASH, commission=FEE).run()
    return int(result["# Trades"])


def vectorbt(opens, highs, lows, closes):
    import numpy
    import pandas
    import vectorbt as vbt
    from numba import njit
    from vectorbt.portfolio import nb
    from vectorbt.portfolio.enums import NoOrder

    rungs = numpy.array(LADDER)

    @njit
    def order_func_nb(c, open_, high, low, state, rungs):
        # state: number of the last order that filled (−1 = flat), price at which the deal started
        filled = int(state[0])
        if c.position_now == 0:
            state[0], state[1] = 0, open_[c.i]
            return nb.order_nb(size=rungs[0, 2] / open_[c.i], price=open_[c.i], fees=FEE)
        if filled < SAFETY_ORDERS and low[c.i] <= state[1] * rungs[filled + 1, 0]:
            state[0] = filled + 1
            price = state[1] * rungs[filled + 1, 0]
            return nb.order_nb(size=rungs[filled + 1, 2] / price, price=price, fees=FEE)
        target = state[1] * rungs[filled, 1] * (1 + TAKE_PROFIT)
        if high[c.i] >= target:
            state[0] = -1
            return nb.order_nb(size=-c.position_now, price=target, fees=FEE)
        return NoOrder

    columns = [numpy.array(column) for column in (opens, highs, lows)]
    portfolio = vbt.Portfolio.from_order_func(
        pandas.Series(closes), order_func_nb, *columns, numpy.array([-1.0, 0.0]), rungs, init_cash=CASH
    )
    return int(portfolio.trades.count())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: peers.py <candles.csv, as dcalab candles export writes it>")
    candles = read_candles(sys.argv[1])
    years = len(candles[0]) / MINUTES_OF_A_YEAR
    for name, run in (("plain Python", plain_python), ("backtesting.py", backtesting_py), ("vectorbt", vectorbt)):
        try:
            run(*[column[:2000] for column in candles])  # compiles, and imports
        except ImportError as error:
            print(f"{name:16} not installed ({error.name})")
            continue
        started = time.process_time()
        deals = run(*candles)
        print(f"{name:16} {1000 * (time.process_time() - started) / years:10.1f} ms per config-year, {deals} deals")


if __name__ == "__main__":
    main()
