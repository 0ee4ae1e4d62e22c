/** Written from the schema by `test/table-types.test.ts -u`. */
import type { Generated } from 'kysely'

export interface Tables {
  service: { identity: string; simulated: number; origin: string; first_seen_at: string; name: Generated<string> }
  settings: {
    id: Generated<number>; hash: string; candle_interval: string | null; conventions_json: string | null
    fee_percent: number | null; slippage_percent: number | null; symbol_json: string | null
  }
  trial: {
    fingerprint: string; config_fingerprint: string; market: string; exchange: string; base_asset: string
    quote_asset: string; period_from: string; period_to: string; investment: number; leverage: number
    dca_total_budget: number; dca_initial_order_size: number; dca_max_safety_orders: number
    dca_price_scale_percent: number; dca_volume_scale: number; dca_price_step_multiplier: number
    take_profit_percent: number; stop_loss_percent: number
  }
  study: {
    name: string; fingerprint: string; number: number; source: string; definition_json: string; first_saved_at: string
    saved_at: string; rerun_json: string | null
  }
  study_trial: { study: string; study_fingerprint: string; position: number; fingerprint: string }
  study_run: {
    id: Generated<number>; study: string; study_fingerprint: string; identity: string; started_at: string
    ended_at: string | null; requests: Generated<number>; stopped_by: string | null; asked_by: 'agent' | null
  }
  study_archive: { name: string; archived_at: string }
  study_settings: { study: string; study_fingerprint: string; market: string; settings_id: number }
  study_count: {
    study: string; study_fingerprint: string; identity: string
    state: 'planned' | 'submitting' | 'unknown' | 'running' | 'done' | 'failed' | 'stalled' | 'gone' | 'undecided'
    trials: number; last_finished_at: string | null
  }
  tag: { fingerprint: string; tag: string; added_at: string }
  note: { id: Generated<number>; fingerprint: string; note: string; added_at: string }
  tried: {
    market: string; period_from: string; period_to: string; source: 'paid' | 'screen' | 'backtest'; key: string
    configs: number; first_at: string; last_at: string
  }
  search_memory: {
    study: string; study_fingerprint: string; identity: string; account: string; name: string; value_json: string
    written_at: string
  }
  calibration: {
    id: Generated<number>; identity: string; study: string; market: string; period_from: string; period_to: string
    made_at: string; candle_interval: string; candles_hash: string; engine_version: string; jobs: number
    candidates: number; conventions_json: string; fee_percent: number; slippage_percent: number; ties_json: string
    evidence_json: string; residual_percent: number | null; is_poor: number
  }
  holdout_opening: {
    study: string; study_fingerprint: string; identity: string; account: string; span_from: string; span_to: string
    opened_at: string; opened_by: string; reason: string; seen_configs: number; completed_at: string | null
  }
  job: {
    id: Generated<number>; identity: string; remote_id: string; fingerprint: string; attempt_id: number
    duplicate: Generated<number>; name: string | null; state: 'running' | 'done' | 'failed' | 'stalled' | 'gone'
    remote_state: string | null; submitted_at: string; finished_at: string | null; last_seen_at: string | null
    missing_since: string | null; deleted_at: string | null; failure: string | null
  }
  foreign_job: { identity: string; account: string; remote_id: string; name: string | null; counted_at: string }
  request: {
    id: Generated<number>; rate_key: string; started_ms: number; finished_ms: number | null; owner: string | null
  }
  reply: {
    id: Generated<number>; job_id: number; sha256: string; body: Uint8Array | null; final: number; received_at: string
    pruned_at: string | null
  }
  service_reply: {
    identity: string; endpoint: string; object: string; status: number; received_at: string; bytes: number
    body: Uint8Array | null
  }
  result: {
    job_id: Generated<number>; reply_id: number; realized_profit: number | null; unrealized_profit: number | null
    net_profit: number | null; roi_percent: number | null; roi_on_max_used_percent: number | null
    max_drawdown_percent: number | null; max_drawdown_low_percent: number | null; max_floating_loss: number | null
    closed_deals: number | null; win_rate_percent: number | null; stop_losses: number | null; open_deal: number | null
    deal_duration_average_minutes: number | null; deal_duration_median_minutes: number | null
    deal_duration_p95_minutes: number | null; deal_duration_max_minutes: number | null
    safety_orders_average: number | null; safety_orders_max: number | null; time_in_deal_percent: number | null
    time_fully_invested_percent: number | null; used_capital_max: number | null; used_capital_average: number | null
    profit_factor: number | null; sharpe: number | null; sortino: number | null; cagr_percent: number | null
    calmar: number | null; fees_paid: number | null; orders: number | null; volume: number | null
    buy_and_hold_percent: number | null; buy_and_hold_max_drawdown_percent: number | null
    ambiguous_candles: number | null; unaffordable_orders: number | null; out_of_cash: number | null
    sample_size: string | null; metric_flags_json: Generated<string>; safety_orders_histogram_json: string | null
    monthly_returns_json: string | null; daily_equity_json: string | null; open_deal_json: string | null
    conventions_json: string | null; fee_percent: number | null; slippage_percent: number | null
    candle_interval: string | null; candle_count: number | null; candles_missing: number | null
    candles_hash: string | null; candles_synthetic: number | null; engine_version: string | null
    missing_in_deals: number | null; unplaced_orders: number | null; behaviour_hash: string | null
    deals_reported: Generated<number>; symbol_json: string | null; pruned_at: string | null
    net_profit_pessimistic: number | null; net_profit_optimistic: number | null
    net_profit_per_used_percent: number | null; exposed_hold_percent: number | null
    stressed_per_used_percent: number | null; cost_sensitivity_json: string | null
  }
  deal: {
    job_id: number; n: number; opened_ms: number; closed_ms: number; exit: 'takeProfit' | 'stopLoss'
    safety_orders: number; quantity: number; cost: number; proceeds: number; profit: number; price: number
    lowest_value: number | null
  }
  screen: {
    id: Generated<number>; study: string; study_fingerprint: string; source: string; definition_json: string
    market: string; period_from: string; period_to: string; saved_at: string; complete: number; configs: number
    distinct_configs: number; workers: number; elapsed_ms: number; config_years_per_minute: number
    candle_interval: string; candle_count: number; candles_missing: number; candles_hash: string
    candles_synthetic: number; conventions_json: string; symbol_json: string; fee_percent: number
    slippage_percent: number; engine_version: string; folded_configs: number | null
  }
  screen_result: {
    screen_id: number; rank: number; fingerprint: string; investment: number; leverage: number; dca_total_budget: number
    dca_initial_order_size: number; dca_max_safety_orders: number; dca_price_scale_percent: number
    dca_volume_scale: number; dca_price_step_multiplier: number; take_profit_percent: number; stop_loss_percent: number
    realized_profit: number | null; unrealized_profit: number | null; net_profit: number | null
    roi_percent: number | null; roi_on_max_used_percent: number | null; max_drawdown_percent: number | null
    max_drawdown_low_percent: number | null; max_floating_loss: number | null; closed_deals: number | null
    win_rate_percent: number | null; stop_losses: number | null; open_deal: number | null
    deal_duration_average_minutes: number | null; deal_duration_median_minutes: number | null
    deal_duration_p95_minutes: number | null; deal_duration_max_minutes: number | null
    safety_orders_average: number | null; safety_orders_max: number | null; time_in_deal_percent: number | null
    time_fully_invested_percent: number | null; used_capital_max: number | null; used_capital_average: number | null
    profit_factor: number | null; sharpe: number | null; sortino: number | null; cagr_percent: number | null
    calmar: number | null; fees_paid: number | null; orders: number | null; volume: number | null
    buy_and_hold_percent: number | null; buy_and_hold_max_drawdown_percent: number | null
    ambiguous_candles: number | null; unaffordable_orders: number | null; out_of_cash: number | null
    sample_size: string | null; safety_orders_histogram_json: string | null; monthly_returns_json: string | null
    daily_equity_json: string | null; missing_in_deals: number | null; unplaced_orders: number | null
    behaviour_hash: string | null; net_profit_pessimistic: number | null; net_profit_optimistic: number | null
    net_profit_per_used_percent: number | null; exposed_hold_percent: number | null
    stressed_per_used_percent: number | null
  }
  screen_parameter: {
    screen_id: number; field: string; value: number; trials: number; profitable: number
    net_profit_average: number | null; net_profit_best: number | null; objective_average: number | null
    objective_best: number | null
  }
  examination: {
    id: Generated<number>; fingerprint: string; identity: string; settings: string | null; study: string | null
    study_fingerprint: string | null; basis: string; candle_interval: string; candles_hash: string
    engine_version: string; begun_at: string; finished_at: string | null
  }
  examination_check: { examination: number; name: string; value_json: string | null; reason: string | null }
  promotion: {
    id: Generated<number>; identity: string; account: string; fingerprint: string; name: string; plan_hash: string
    state: 'intent' | 'created' | 'verified' | 'released' | 'ambiguous' | 'alarmed'; bot_id: string | null
    opened_at: string; settled_at: string | null; started_at: string | null; reason: string | null
    settings_id: number | null; plan_json: string | null; accepted_json: string | null; body_json: string | null
    validation_json: string | null; bot_json: string | null
  }
  bot_order: {
    id: Generated<number>; identity: string; account: string; name: string
    state: 'intent' | 'created' | 'verified' | 'released' | 'ambiguous' | 'alarmed'; bot_id: string | null
    opened_at: string; settled_at: string | null; reason: string | null
  }
  drift_check: {
    id: Generated<number>; identity: string; bot_id: string; bot_name: string | null; fingerprint: string | null
    market: string; checked_at: string; span_from: string; span_to: string; candle_interval: string
    candles_hash: string; engine_version: string
    terms_source: 'given' | 'bot' | 'calibration' | 'trial' | 'results' | 'assumed'; conventions_json: string
    fee_percent: number; slippage_percent: number; deals_matched: number | null; deals_early: number | null
    deals_late: number | null; deals_missing: number | null; deals_extra: number | null; orders_matched: number | null
    orders_early: number | null; orders_late: number | null; orders_missing: number | null; orders_extra: number | null
    orders_different: number | null; profit_bot: number | null; profit_backtest: number; gap: number | null
    gap_price: number | null; gap_fee: number | null; gap_timing: number | null; gap_convention: number | null
    gap_candles: number | null; gap_unexplained: number | null; drift: 'none' | 'small' | 'large' | 'unknown'
    causes_json: string; sentence: string; alternatives_json: string; unknown_json: string; series_json: string | null
  }
  our_object: { name: string; text_hash: string }
  store_letters: { one: Generated<number>; letters: string; file: string; drawn_at: string }
  revised_result: {
    job_id: number; noticed_at: string; reply_id: number; changes_json: string; taken_at: string | null
    replaced_json: string | null
  }
  result_check: { job_id: Generated<number>; checked_at: string; reply_id: number | null }
  verdict: {
    id: Generated<number>; fingerprint: string; identity: string; settings: string | null; study: string | null
    rules: string
    grade: 'doNotUse' | 'notJudged' | 'holdingDidBetter' | 'holdingAsGood' | 'noBetterThanPlain' | 'ahead' | 'beat'
    judged_at: string; verdict_json: string; stretches_json: string
  }
  market_day: {
    market: string; date: string; candle_interval: string; candles_hash: string; open: number; high: number; low: number
    close: number
  }
  export_folder: { path: string; identity: string | null; every_service: number }
  study_place: {
    study: string; study_fingerprint: string; identity: string; position: number; attempt_id: number
    result_id: number | null; net_profit: number | null; objective: number | null; value: number | null
    rank: number | null
  }
  study_ranking: { study: string; study_fingerprint: string; identity: string; summary_json: string }
  attempt: {
    id: Generated<number>; identity: string; account: string; study: string; fingerprint: string; number: number
    name: string; state: 'intent' | 'acked' | 'rejected' | 'released' | 'ambiguous' | 'adopted' | 'absent' | 'undecided'
    opened_at: string; unsure_since: string | null; counted_at: string | null; settled_at: string | null
    reply_status: number | null; reply_code: string | null; reply_text: string | null; reason: string | null
    settings_id: number | null; study_run_id: number | null
  }
  proposal: {
    study: string; study_fingerprint: string; identity: string; account: string; position: number; batch: number
    role: 'test' | 'sample' | 'chosen' | 'point' | 'winner' | 'finalist'; reason: string; fingerprint: string
    proposed_at: string
  }
}
