/**
 * What all configs of a flight share, in globals: the hot loop reads a global faster than memory. A global has to be declared and
 * set, so every field stands here twice.
 */
import * as layout from '../layout'

export let open: usize = 0
export let high: usize = 0
export let low: usize = 0
export let close: usize = 0
export let openTime: usize = 0
/** Columns of the pyramid, by level. */
export let lowest1: usize = 0
export let lowest2: usize = 0
export let lowest3: usize = 0
export let lowest4: usize = 0
export let highest1: usize = 0
export let highest2: usize = 0
export let highest3: usize = 0
export let highest4: usize = 0
/** Lines of codes of candles, of sixteen and of 256 of them; the scales of blocks. */
export let codes: usize = 0
export let codes16: usize = 0
export let codes256: usize = 0
export let codeScales: usize = 0
/** From a node's place in `lowest…` to its place in the columns of closes. */
export let toLowestClose: isize = 0
export let toHighestClose: isize = 0
export let dayEnd: usize = 0
/** Index of the last day in `dayEnd`; that day may be partial. */
export let lastDay: i32 = 0
export let tables: usize = 0
export let ints: usize = 0
export let floats: usize = 0
export let watches: usize = 0
export let logInts: usize = 0
export let logFloats: usize = 0
export let memo: usize = 0
export let series: usize = 0
export let intervalMs: f64 = 0
export let missingMs: f64 = 0
/** 1 − fee rate: the fraction of a sale that is left after the fee. */
export let keep: f64 = 0
export let slippageRate: f64 = 0
export let intrabar: i32 = 0
export let stopsAfterLoss: bool = false
export let levelsPerDeal: bool = false
export let touch: f64 = 0
/** A price touches a level below it at level · `above`, and a level above it at level · `below`. */
export let above: f64 = 0
export let below: f64 = 0
export let cap: f64 = 0
export let noFall: f64 = 0
export let rungs: usize = 0
export let memoPlaces: usize = 0
export let memoOrders: usize = 0
export let dayEnds: usize = 0
export let dayEquities: usize = 0
export let trail: usize = 0
export let durations: usize = 0
export let durationBytes: usize = 0
export let durationBins: i32 = 0
export let tick: f64 = 0
export let tickDigits: f64 = 0
export let tickDecimals: f64 = 0
export let tickScale: f64 = 0
/** Ticks in a price of 1, and the most ticks that are counted by it. */
export let ticksPerUnit: f64 = 0
export let mostTicks: f64 = 0
export let lot: f64 = 0
export let lotDigits: f64 = 0
export let lotDecimals: f64 = 0
export let lotScale: f64 = 0
export let lotsPerUnit: f64 = 0
export let mostLots: f64 = 0
export let lotUp: bool = false
/** The least notional of an order, less the tolerance of the comparison. */
export let leastNotional: f64 = 0
/** 1 + fee rate. */
export let withFee: f64 = 0
export let anchorRatio: f64 = 0
export let stopUnderAverage: bool = false

/** @param at where the scene's numbers lie */
export function setScene(at: usize): void {
  open = address(at, layout.OPEN_AT)
  high = address(at, layout.HIGH_AT)
  low = address(at, layout.LOW_AT)
  close = address(at, layout.CLOSE_AT)
  openTime = address(at, layout.OPEN_TIME_AT)
  lowest1 = address(at, layout.LOWEST_AT)
  lowest2 = lowest1 + (address(at, layout.LEVEL_2) << 3)
  lowest3 = lowest1 + (address(at, layout.LEVEL_3) << 3)
  lowest4 = lowest1 + (address(at, layout.LEVEL_4) << 3)
  highest1 = address(at, layout.HIGHEST_AT)
  highest2 = highest1 + (lowest2 - lowest1)
  highest3 = highest1 + (lowest3 - lowest1)
  highest4 = highest1 + (lowest4 - lowest1)
  toLowestClose = address(at, layout.LOWEST_CLOSE_AT) - lowest1
  toHighestClose = address(at, layout.HIGHEST_CLOSE_AT) - lowest1
  codes = address(at, layout.CODES_AT)
  codes16 = codes + address(at, layout.CODE_LINES) * layout.LINE
  codes256 = codes16 + (address(at, layout.CODE_LINES) >> layout.LINE_SHIFT) * layout.LINE
  codeScales = address(at, layout.CODE_SCALES_AT)
  dayEnd = address(at, layout.DAY_END_AT)
  lastDay = i32(rule(at, layout.DAYS)) - 1
  tables = address(at, layout.TABLES_AT)
  ints = address(at, layout.INTS_AT)
  floats = address(at, layout.FLOATS_AT)
  watches = address(at, layout.WATCHES_AT)
  logInts = address(at, layout.LOG_INTS_AT)
  logFloats = address(at, layout.LOG_FLOATS_AT)
  memo = address(at, layout.MEMO_AT)
  series = address(at, layout.SERIES_AT)
  intervalMs = rule(at, layout.INTERVAL_MS)
  missingMs = rule(at, layout.MISSING_MS)
  keep = 1 - rule(at, layout.FEE_RATE)
  slippageRate = rule(at, layout.SLIPPAGE_RATE)
  intrabar = i32(rule(at, layout.INTRABAR))
  stopsAfterLoss = rule(at, layout.STOPS_AFTER_LOSS) == 1
  levelsPerDeal = rule(at, layout.LEVELS_PER_DEAL) == 1
  touch = rule(at, layout.TOUCH_WITHIN)
  above = 1 + touch
  below = 1 - touch
  cap = 1 + rule(at, layout.CAP_WITHIN)
  noFall = rule(at, layout.NO_FALL_WITHIN)
  rungs = address(at, layout.RUNGS_AT)
  memoPlaces = address(at, layout.MEMO_PLACES_AT)
  memoOrders = address(at, layout.MEMO_ORDERS_AT)
  dayEnds = address(at, layout.DAY_ENDS_AT)
  dayEquities = address(at, layout.DAY_EQUITIES_AT)
  trail = address(at, layout.TRAIL_AT)
  durations = address(at, layout.DURATIONS_AT)
  durationBytes = address(at, layout.DURATION_STRIDE) << 2
  durationBins = i32(rule(at, layout.DURATION_BINS))
  tick = rule(at, layout.TICK)
  tickDigits = rule(at, layout.TICK + 1)
  tickDecimals = rule(at, layout.TICK + 2)
  tickScale = rule(at, layout.TICK + 3)
  ticksPerUnit = tickScale / tickDigits
  mostTicks = mostSteps(tickDecimals)
  lot = rule(at, layout.LOT)
  lotDigits = rule(at, layout.LOT + 1)
  lotDecimals = rule(at, layout.LOT + 2)
  lotScale = rule(at, layout.LOT + 3)
  lotsPerUnit = lotScale / lotDigits
  mostLots = mostSteps(lotDecimals)
  lotUp = rule(at, layout.LOT_UP) == 1
  leastNotional = rule(at, layout.MIN_NOTIONAL) * below
  withFee = 1 + rule(at, layout.FEE_RATE)
  anchorRatio = rule(at, layout.ANCHOR_RATIO)
  stopUnderAverage = rule(at, layout.STOP_UNDER_AVERAGE) == 1
}

/**
 * Above 1e11 steps the tolerance of a whole number could reach the next one; powers of ten above the 22nd are no exact doubles. Steps without
 * decimals have a scale of 1, by which a division changes nothing; those of tens and hundreds are multiplied by theirs.
 */
function mostSteps(decimals: f64): f64 {
  return decimals >= 0 && decimals <= 22 ? 1e11 : -1
}

function address(at: usize, index: i32): usize {
  return usize(rule(at, index))
}

function rule(at: usize, index: i32): f64 {
  return load<f64>(at + (usize(index) << 3))
}
