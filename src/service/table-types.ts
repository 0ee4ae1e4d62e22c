/** Written from the schema by `test/table-types.test.ts -u`. */
import type { Generated } from 'kysely'

export interface Tables {
  service: { id: string; created_at_ms: number }
  accounts: { id: Generated<number>; user_email: string; created_at_ms: number }
  keys: {
    prefix: string; account_id: number; api_key_sha256: Uint8Array; secret_key_sha256: Uint8Array; scopes_json: string
    addresses_json: string | null; issued_at_ms: number; revoked_at_ms: number | null
  }
  requests: { key_prefix: string; at_ms: number }
  runners: { id: string; started_at_ms: number }
  jobs: {
    seq: Generated<number>; id: string; account_id: number; name: string | null
    state: 'queued' | 'running' | 'completed' | 'failed' | 'deleted'; request_json: string; terms_json: string
    result_json: string | null; error_json: string | null; created_at_ms: number; changed_at_ms: number
    started_at_ms: number | null; finished_at_ms: number | null; claimed_by: string | null; claims: Generated<number>
  }
  bots: {
    seq: Generated<number>; id: string; account_id: number; payload_json: string; is_demo: number; created_at_ms: number
    updated_at_ms: number; terms_json: string | null
  }
  bot_commands: {
    seq: Generated<number>; bot_id: string; kind: 'start' | 'update' | 'stop'; at_ms: number; config_json: string | null
    close_position: number | null
  }
  market_clock: { id: Generated<number>; wall_ms: number; market_ms: number; speed: number }
}
