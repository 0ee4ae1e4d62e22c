/** A new file has this version first. Files of earlier ones are refused. */
export const FIRST_VERSION = 3

/**
 * The service's tables. Moments are whole milliseconds UTC by the wall clock, except in `requests`, which counts a minute and
 * therefore uses the monotonic clock. The first entry makes a file of `FIRST_VERSION`, each that follows brings it one version further;
 * entries are added, never changed (a test has the hash of each). A check of a JSON column allows null in so many words: older SQLite (3.40)
 * has json_valid(null) = 0.
 */
export const MIGRATIONS: readonly string[] = [
  `
create table service (
  id text not null primary key, -- announced as embedded:<id>
  created_at_ms integer not null
) strict;

create table accounts (
  id integer primary key,
  user_email text not null unique, -- lower case
  created_at_ms integer not null
) strict;

create table keys (
  prefix text not null primary key, -- the API key's first characters: names the key, opens nothing
  account_id integer not null references accounts (id),
  api_key_sha256 blob not null unique,
  secret_key_sha256 blob not null,
  scopes_json text not null check (scopes_json is null or json_valid(scopes_json)),
  addresses_json text check (addresses_json is null or json_valid(addresses_json)), -- null = any address
  issued_at_ms integer not null,
  revoked_at_ms integer
) strict;

create table requests (
  key_prefix text not null references keys (prefix),
  at_ms real not null -- milliseconds since this machine started
) strict;
create index requests_by_key on requests (key_prefix, at_ms);

create table runners ( -- processes that run jobs; each holds a lock on a file of its own while it lives
  id text not null primary key,
  started_at_ms integer not null
) strict;

create table jobs ( -- rows stay when a job is deleted: the allowance counts them
  seq integer primary key autoincrement,
  id text not null unique,
  account_id integer not null references accounts (id),
  name text,
  state text not null check (state in ('queued', 'running', 'completed', 'failed', 'deleted')),
  request_json text not null check (request_json is null or json_valid(request_json)),
  terms_json text not null check (terms_json is null or json_valid(terms_json)), -- conventions and costs in force when it was accepted
  result_json text check (result_json is null or json_valid(result_json)),
  error_json text check (error_json is null or json_valid(error_json)),
  created_at_ms integer not null,
  changed_at_ms integer not null,
  started_at_ms integer,
  finished_at_ms integer,
  claimed_by text, -- runners.id
  claims integer not null default 0, -- how often a runner took it up
  check ((state = 'running') = (claimed_by is not null)),
  check ((state = 'completed') = (result_json is not null)),
  check ((state = 'failed') = (error_json is not null)),
  check (state not in ('completed', 'failed') or finished_at_ms is not null)
) strict;
create index jobs_by_account on jobs (account_id, created_at_ms);
create index jobs_unfinished on jobs (seq) where state in ('queued', 'running');

create table bots (
  seq integer primary key autoincrement,
  id text not null unique,
  account_id integer not null references accounts (id),
  payload_json text not null check (payload_json is null or json_valid(payload_json)),
  is_demo integer not null check (is_demo = 1), -- the embedded plan offers demo bots only (A-19)
  created_at_ms integer not null,
  updated_at_ms integer not null,
  terms_json text check (terms_json is null or json_valid(terms_json)) -- interval, conventions, costs and symbol rules, fixed at the first start
) strict;
create index bots_by_account on bots (account_id, seq);

-- What a bot was asked to do. With its terms and the candles of its market this decides everything it did; nothing else is kept of it.
create table bot_commands (
  seq integer primary key autoincrement,
  bot_id text not null references bots (id),
  kind text not null check (kind in ('start', 'update', 'stop')),
  at_ms integer not null, -- market time; never before the command before it
  config_json text check (config_json is null or json_valid(config_json)),
  close_position integer check (close_position in (0, 1)),
  check ((kind = 'stop') = (close_position is not null)),
  check ((kind = 'stop') = (config_json is null))
) strict;
create index bot_commands_by_bot on bot_commands (bot_id, seq);

create table market_clock ( -- no row: market time is the wall clock
  id integer not null primary key check (id = 1),
  wall_ms integer not null, -- when it was set
  market_ms integer not null, -- to what
  speed real not null check (speed > 0)
) strict;
`,
]
