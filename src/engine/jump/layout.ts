/**
 * Where everything is that the kernel reads and writes. These numbers are compiled twice: into the program, and into the kernel
 * itself (`assembly/`), whose language is a subset of this one. So this file may hold only numbers.
 */

/** log2 of the candles under one node of the pyramid, by level; level 0 is the candles themselves. */
export const SHIFT_1 = 3
export const SHIFT_2 = 6
export const SHIFT_3 = 9
export const SHIFT_4 = 12
/** Candles under one node of the top level: stretches are padded to it. */
export const TOP_STRETCH = 4096
/**
 * Candles of one block. All configs of a batch walk a block before the next one begins, so that its candles stay in the second-level cache;
 * a multiple of the widest stretch, so that no search looks at candles twice.
 */
export const BLOCK = 8192
/**
 * The same where all slots have one config: they take most deals from the memo and read few candles. At most eight of the widest stretches
 * (extremes.ts), and below 2^16: stops and wins of a block are counted in sixteen bits each (`DEAL_COUNTS` of levels.ts).
 */
export const STARTS_BLOCK = 32_768

/** Bits for a number of rungs, where it is packed into one integer with other numbers. */
export const ORDERS_SHIFT = 7

// One row of a config's table (a cache line of doubles): row k describes a deal with k safety orders filled.
export const ROW = 8
export const PRICE = 0
/** What a falling price touches next: the next order's price; on the last row within the budget the stop, or −∞. */
export const NEXT = 1
export const TAKE_PROFIT = 2
/** Of a deal that ends at the take profit, in quote; NaN when it is so near to 0 that its sign has to be computed from the deal's own prices. */
export const PROFIT = 3
export const STOP = 4
export const QUANTITY = 5
export const COST = 6
/** Gross quote spent; only where levels are computed per deal. */
export const QUOTE = 7

// Only where levels are computed per deal: what of a row is the same for every deal of its config. Row k is that of order k.
export const RUNG = 4
/** The order's unrounded price over the anchor. */
export const RUNG_RATIO = 0
/** Unrounded, in quote. */
export const RUNG_SIZE = 1
/** Unrounded, with fees: of this order and all before it. */
export const RUNG_COST = 2
/** log2 of the bytes of a row over those of a rung. */
export const RUNG_SHIFT = 1

// Whole numbers of one config in flight.
export const INTS = 22
export const STATE = 0
/** Index of the config's first row in `tables`. */
export const TABLE = 1
/** Rows that exist, base order included. */
export const ORDERS = 2
/** Of these, the rows that dcaTotalBudget allows. */
export const CAPPED = 3
export const START = 4
export const FILLED = 5
export const PLACED = 6
export const DEALS = 7
export const STOPS = 8
export const WINS = 9
/** Safety orders filled in closed deals. */
export const FILLS = 10
/** First candle on which a stopped bot held nothing. A bot that is not stopped holds something on every candle. */
export const ENDED = 11
export const AMBIGUOUS = 12
export const UNAFFORDABLE = 13
export const OUT_OF_CASH = 14
/** Which configs may share deals; 0 = none. */
export const FAMILY = 15
/** Only where levels are computed per deal: orders of a sure deal (sure.ts), and orders less than 100 % deep. */
export const SURE_ORDERS = 16
export const CONFIGURED = 17
/** Rungs too small to be placed: of each deal where all have the same levels, and summed over deals. */
export const UNPLACED_OF_DEAL = 18
export const UNPLACED = 19
/** The config's candles: nothing happens before the first, nor from LAST on. */
export const FIRST = 20
export const LAST = 21
/** LAST of a config that goes on as long as there are candles. */
export const NO_END = 0x7fffffff

export const FLAT = 0
export const IN_DEAL = 1
export const STOPPED = 2

// Amounts of one config in flight.
export const FLOATS = 15
export const SCALE = 0
export const REALIZED = 1
/** Fields of a config as they are: `FIELD_` and the name of their column. */
export const FIELD_INVESTMENT = 2
export const FIELD_DCA_TOTAL_BUDGET = 3
/** Cost of the last row within the budget: with at least this much cash all orders are placed. */
export const NEED = 4
/** Longest closed deal, ms. */
export const LONGEST = 5
/** Profits of the deals that lost, summed: 0 or negative. */
export const LOST = 14
/** Thresholds of the open deal: something happens on a candle with low ≤ FLOOR or high ≥ CEILING, and on no other. */
export const FLOOR = 6
export const CEILING = 7
/** Only where levels are computed per deal. A deal that starts between these prices has SURE_ORDERS orders. */
export const SURE_LOW = 8
export const SURE_HIGH = 9
/** Rounding to the lot changes what a deal costs by less than this, times its start price. */
export const COST_PER_PRICE = 10
/** Of all SURE_ORDERS, unrounded, with fees and a margin. */
export const SURE_COST = 13
/** Take profit over the average price, and the fraction of a price that is left at its stop. 0 = no stop. */
export const TAKE_PROFIT_RATIO = 11
export const STOP_RATIO = 12

// What is observed of one config when more than counters and profit is needed. Amounts in quote, falls and returns as fractions.
export const WATCH = 48
/** 1 during a deal. */
export const HOLDS = 0
/** Quote when no deal is open; during a deal, what it started with. */
export const CASH = 1
/** The open deal since its last fill. */
export const HELD_QUANTITY = 2
export const HELD_COST = 3
/** 1 when every placed order has filled. */
export const HELD_FULL = 4
export const HELD_FLOOR = 5
export const HELD_CEILING = 6
/** Of equity over closes, as far as it has been searched. */
export const PEAK = 7
/** Upper bound of the peak, including holdings of the open deal whose search is postponed: PUT_OFF_COUNT numbers from PUT_OFF on. */
export const POSSIBLE_PEAK = 8
export const PUT_OFF_COUNT = 9
export const DEEPEST = 10
export const DEEPEST_AT_LOW = 11
/** 0 or negative. */
export const FLOATING_LOSS = 12
/** Candles on which every placed order had filled. */
export const CANDLES_FULL = 13
export const USED_SUM = 14
export const USED_MAX = 15
/** Next entry of `dayEnd`, and the equity at the day end before it. */
export const DAY = 16
export const DAY_EQUITY = 17
/** Daily returns so far: Σ R, Σ R², Σ min(R, 0)². */
export const RETURN_SUM = 18
export const SQUARE_SUM = 19
export const LOSS_SQUARE_SUM = 20
/** Lowest value of the open deal in the blocks before, 0 or negative; only where deals are reported. */
export const DEAL_LOWEST = 21
/** From, to, quantity and cost of up to six postponed holdings. */
export const PUT_OFF = 24
export const MOST_PUT_OFF = 24

// The log: what a walk decided, in time order. Two ints per entry (candle index · code) and four doubles (quantity held · cost with fees ·
// floor · ceiling; on an exit floor is the exit price and, where deals are reported, ceiling the deal's lowest value). Amounts are true ones,
// so that readers need no table.
export const LOG_INTS = 2
export const LOG_FLOATS = 4
/** A candle can open a deal and then fill or close it, so two entries are the most. */
export const ENTRIES_PER_CANDLE = 2
// code = kind + FULL (every placed rung has filled) + filled << FILLED_SHIFT
export const OPENED = 0
/** From this candle on the deal holds `filled` safety orders; until the next entry lows stay above the floor, closes below the ceiling. */
export const BOUGHT = 1
/** Sold at the take profit; nothing filled on this candle, and the convention and the open decide whether the low came first. */
export const SOLD = 2
/** Sold at the take profit before the price reached the low. */
export const SOLD_BEFORE_LOW = 3
/** Sold at the take profit after the low, with the same safety orders filled there. */
export const SOLD_AFTER_LOW = 4
/** From here on a kind for each further exit, in their order (EXITS). */
export const STOPPED_OUT = 5
export const KIND_MASK = 7
export const FULL = 8
export const FILLED_SHIFT = 4

// Values of INTRABAR: which path counts on a candle where the two differ.
export const LOW_FIRST = 0
export const HIGH_FIRST = 1
export const CANDLE_COLOUR = 2
export const PESSIMISTIC = 3
export const OPTIMISTIC = 4

// The scene: what all configs of a flight share, as doubles. First come byte addresses, then rules.
export const SCENE = 56
export const OPEN_AT = 0
export const HIGH_AT = 1
export const LOW_AT = 2
export const CLOSE_AT = 3
export const OPEN_TIME_AT = 4
/** Level 1 of the pyramid's columns; the others follow. */
export const LOWEST_AT = 5
export const LOWEST_CLOSE_AT = 7
export const HIGHEST_CLOSE_AT = 8
export const DAY_END_AT = 9
export const TABLES_AT = 10
export const INTS_AT = 11
export const FLOATS_AT = 12
export const WATCHES_AT = 13
export const LOG_INTS_AT = 14
export const LOG_FLOATS_AT = 15
export const MEMO_AT = 16
/** Where equities at day ends are written, one per entry of `dayEnd`; 0 = nowhere. */
export const SERIES_AT = 17
/** Nodes before the first one of levels 2, 3 and 4. */
export const LEVEL_2 = 18
export const LEVEL_3 = 19
export const LEVEL_4 = 20
/** Entries of `dayEnd`. */
export const DAYS = 21
export const INTERVAL_MS = 22
export const MISSING_MS = 23
export const FEE_RATE = 24
export const SLIPPAGE_RATE = 25
export const INTRABAR = 26
/** 1 = a bot opens no deal after a stop loss. */
export const STOPS_AFTER_LOSS = 27
/** 1 = every deal has its own rounding: rows are written as deals start. */
export const LEVELS_PER_DEAL = 28
/** Relative tolerances: of a price that touches a level, of a cap, of an equity that has not fallen. */
export const TOUCH_WITHIN = 29
export const CAP_WITHIN = 30
export const NO_FALL_WITHIN = 31
/** Tick and lot as `DecimalStep` has them: step, digits, decimals, scale; step 0 = not enforced. */
export const TICK = 32
export const LOT = 36
export const RUNGS_AT = 40
/** 1 = quantities are rounded up to the lot. */
export const LOT_UP = 41
export const MIN_NOTIONAL = 42
/** Price from which ladder and stop are measured, over the start price. */
export const ANCHOR_RATIO = 43
/** 1 = the stop lies under the average price. */
export const STOP_UNDER_AVERAGE = 44
/** Where the memo's entries are looked up by candle. */
export const MEMO_PLACES_AT = 45
export const DAY_ENDS_AT = 46
export const TRAIL_AT = 47
/** Equities at the day ends of the config that is being walked. */
export const DAY_EQUITIES_AT = 48
/** Where durations of deals are counted (durations.ts), ints per config and bins of each; 0 = nowhere. */
export const DURATIONS_AT = 49
export const DURATION_STRIDE = 50
export const DURATION_BINS = 51
/** What the memo says of a deal's orders (assembly/levels.ts); only where all slots have one config. */
export const MEMO_ORDERS_AT = 52
/** Prices as codes (pyramid.ts), the lines of candles among them, and the scale of each block. */
export const CODES_AT = 53
export const CODE_LINES = 54
export const CODE_SCALES_AT = 55

// A line of codes: the lows of sixteen candles or nodes, then their highs, 16 bits each.
export const LINE = 64
/** log2 of the candles or nodes of one line. */
export const LINE_SHIFT = 4
/** log2 of BLOCK, whose candles have one scale from price to code. */
export const BLOCK_SHIFT = 13
/** Doubles from here on are whole numbers: what is added to it is rounded to one. */
export const WHOLES = 4_503_599_627_370_496
export const LAST_CODE = 65_535

// The memo: a cache line for every deal that may begin in a block, and for MOST_CARRIED deals that had begun before it.
export const MEMO_ENTRY = 64
export const MEMO_ORDERS = 64
/** Worths of remembered deals at day ends, for one family in one block. */
export const MOST_DAY_ENDS = 32_768
/** Holdings of one deal in one block: a candle index and the address of a row. */
export const TRAIL_ENTRY = 8
export const MOST_CARRIED = 16
