/** DuckDB, where somebody installed it beside the project (`npm i --no-save @duckdb/node-api`): 70 MB are too much to ask of everybody. */

interface DuckDb {
  readonly DuckDBConnection: {
    create(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }> }>
  }
}

/** Runs a statement and answers its rows; undefined where the package is not installed. */
export const duckdb = await load()

async function load(): Promise<((sql: string) => Promise<Record<string, unknown>[]>) | undefined> {
  const name = '@duckdb/node-api' // in a variable, so that nobody looks for it who does not run this
  try {
    const { DuckDBConnection } = (await import(name)) as DuckDb // what of it is used, as its page declares it
    return async (sql) => {
      const connection = await DuckDBConnection.create()
      return (await connection.runAndReadAll(sql)).getRowObjectsJson()
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    console.log('DuckDB is not installed: its recipe is not executed')
    return undefined
  }
}
