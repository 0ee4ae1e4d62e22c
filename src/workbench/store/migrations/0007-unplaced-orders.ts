/**
 * The seventh layout: results have the number of rungs too small to be placed, and a name for what they did (`study/behaviour.ts`), by which
 * a screen folds equal ones; screens say by which score they rank. All are null in results that do not report what they are derived from, and in screens saved before.
 */
export const seventhLayout = `
alter table result add column unplaced_orders integer; -- rungs too small for the lot or the minimum notional, summed over deals
alter table result add column behaviour_hash text; -- equal for results with the same deals and the same equity
alter table screen_result add column unplaced_orders integer;
alter table screen_result add column behaviour_hash text;
alter table screen add column folded_configs integer; -- configs left out of the top, because they trade exactly like one of it
alter table screen add column score text; -- what its points were ranked by: point, stressed or plateau
alter table screen_result add column score real; -- what it was ranked by, in the unit of the objective
`
