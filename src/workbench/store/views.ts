/**
 * The views: what analysts are promised. Tables have a history, views have a present: they are rebuilt at open whenever
 * their text has changed. Only features of SQLite 3.40 and older, so that any client can read the file.
 */
import type Database from 'better-sqlite3'
import { createView, type View } from './views/column.ts'
import { columnDoc } from './views/column-doc.ts'
import { allowanceDailyView, promotionsView, studyRevisionsView, studyRunsView } from './views/history-views.ts'
import { leaderboardView } from './views/leaderboard-view.ts'
import { neighboursView, parametersView } from './views/parameter-views.ts'
import { dataSetsView, resultsView } from './views/result-views.ts'
import { screenParametersView, screensView, screenTopView } from './views/screen-views.ts'
import { dealsView, equityDailyView, monthlyReturnsView } from './views/series-views.ts'
import { allowanceView, attemptsView, outcomesView } from './views/spending-views.ts'
import { runsView, studiesView, trialsView } from './views/trial-views.ts'

/** None reads another: an analyst may keep something else under the name of any of them. */
const promised: Readonly<Record<string, View>> = {
  studies: studiesView,
  study_revisions: studyRevisionsView,
  study_runs: studyRunsView,
  runs: runsView,
  results: resultsView,
  outcomes: outcomesView,
  trials: trialsView,
  leaderboard: leaderboardView,
  parameters: parametersView,
  neighbours: neighboursView,
  deals: dealsView,
  equity_daily: equityDailyView,
  monthly_returns: monthlyReturnsView,
  data_sets: dataSetsView,
  attempts: attemptsView,
  allowance: allowanceView,
  allowance_daily: allowanceDailyView,
  promotions: promotionsView,
  screens: screensView,
  screen_top: screenTopView,
  screen_parameters: screenParametersView,
}

export const VIEW_ROWS: Readonly<Record<string, View>> = { ...promised, column_doc: columnDoc(promised) }

export const VIEWS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(VIEW_ROWS).map(([name, view]) => [name, createView(name, view)]),
)

/** Views of ours only: an analyst's own views are left alone. */
export function dropViews(db: Database.Database): void {
  for (const name of Object.keys(VIEWS)) db.exec(`drop view if exists ${name}`)
}

export function makeViews(db: Database.Database): void {
  for (const text of Object.values(VIEWS)) db.exec(text)
}

export function viewsAreCurrent(db: Database.Database): boolean {
  const select = db.prepare<[], { name: string; sql: string }>(
    "select name, sql from sqlite_schema where type = 'view'",
  )
  const stored = new Map(select.all().map(({ name, sql }) => [name, normal(sql)]))
  return Object.entries(VIEWS).every(([name, text]) => stored.get(name) === normal(text))
}

/** SQLite writes `CREATE VIEW` in capitals and keeps the rest as given. */
function normal(sql: string): string {
  return sql.replace(/^create view/i, 'create view').trim()
}
