/** Names of config fields as columns: snake_case, units last. Amounts without a unit are quote currency. */
import type { ConfigField, DcaSpotConfig } from '../../contract/bot.ts'

export const CONFIG_COLUMNS = {
  investment: 'investment',
  leverage: 'leverage',
  dcaTotalBudget: 'dca_total_budget',
  dcaInitialOrderSize: 'dca_initial_order_size',
  dcaMaxSafetyOrders: 'dca_max_safety_orders',
  dcaPriceScalePercent: 'dca_price_scale_percent',
  dcaVolumeScale: 'dca_volume_scale',
  dcaPriceStepMultiplier: 'dca_price_step_multiplier',
  takeProfit: 'take_profit_percent',
  stopLoss: 'stop_loss_percent',
} as const satisfies Record<ConfigField, string>

export type ConfigColumns = { readonly [Field in ConfigField as (typeof CONFIG_COLUMNS)[Field]]: number }

export function configToColumns(config: DcaSpotConfig): ConfigColumns {
  return {
    investment: config.investment,
    leverage: config.leverage,
    dca_total_budget: config.dcaTotalBudget,
    dca_initial_order_size: config.dcaInitialOrderSize,
    dca_max_safety_orders: config.dcaMaxSafetyOrders,
    dca_price_scale_percent: config.dcaPriceScalePercent,
    dca_volume_scale: config.dcaVolumeScale,
    dca_price_step_multiplier: config.dcaPriceStepMultiplier,
    take_profit_percent: config.takeProfit,
    stop_loss_percent: config.stopLoss,
  }
}

export function columnsToConfig(row: ConfigColumns): DcaSpotConfig {
  return {
    investment: row.investment,
    leverage: row.leverage,
    dcaTotalBudget: row.dca_total_budget,
    dcaInitialOrderSize: row.dca_initial_order_size,
    dcaMaxSafetyOrders: row.dca_max_safety_orders,
    dcaPriceScalePercent: row.dca_price_scale_percent,
    dcaVolumeScale: row.dca_volume_scale,
    dcaPriceStepMultiplier: row.dca_price_step_multiplier,
    takeProfit: row.take_profit_percent,
    stopLoss: row.stop_loss_percent,
  }
}
