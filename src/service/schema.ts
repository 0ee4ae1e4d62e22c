/** The check of a JSON column. The third version makes the same tables again with another check. */
type JsonCheck = (column: string) => string

/** Lets null pass in the SQLite of this program, but not in 3.40 and older. */
const mayBeNullHere: JsonCheck = (column) => `check (json_valid(${column}))`
const mayBeNullAnywhere: JsonCheck = (column) => `check (${column} is null or json_valid(${column}))`

function keysTable(name: string, json: JsonCheck): string {
  return `create table ${name} (
    prefix text not null primary key, -- the API key's first characters: names the key, opens nothing
    account_id integer not null references accounts (id),
    api_key_sha256 blob not null unique,
    secret_key_sha256 blob not null,
    scopes_json text not null ${json('scopes_json')},
    addresses_json text ${json('addresses_json')}, -- null = any address
    issued_at_ms integer not null,
    revoked_at_ms integer
  ) strict;`
}

function jobsTable(name: string, json: JsonCheck): string {
  return `create table ${name} ( -- rows stay when a job is deleted: the allowance counts them
    seq integer primary key autoincrement,
    id text not null unique,
    account_id integer not null references accounts (id),
    name text,
    state text not null check (state in ('queued', 'running', 'completed', 'failed', 'deleted')),
    request_json text not null ${json('request_json')},
    terms_json text not null ${json('terms_json')}, -- conventions and costs in force when it was accepted
    result_json text ${json('result_json')},
    error_json text ${json('error_json')},
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
  ) strict;`
}

function botCommandsTable(name: string, json: JsonCheck): string {
  return `create table ${name} (
    seq integer primary key autoincrement,
    bot_id text not null references bots (id),
    kind text not null check (kind in ('start', 'update', 'stop')),
    at_ms integer not null, -- market time; never before the command before it
    config_json text ${json('config_json')},
    close_position integer check (close_position in (0, 1)),
    check ((kind = 'stop') = (close_position is not null)),
    check ((kind = 'stop') = (config_json is null))
  ) strict;`
}

/**
 * The service's tables. Moments are whole milliseconds UTC by the wall clock, except in `requests`, which counts a minute and
 * therefore uses the monotonic clock. One entry per version; entries are added, never changed (a test has the hash of each).
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

  ${keysTable('keys', mayBeNullHere)}

  create table requests (
    key_prefix text not null references keys (prefix),
    at_ms real not null -- milliseconds since this machine started
  ) strict;
  create index requests_by_key on requests (key_prefix, at_ms);

  create table runners ( -- processes that run jobs; each holds a lock on a file of its own while it lives
    id text not null primary key,
    started_at_ms integer not null
  ) strict;

  ${jobsTable('jobs', mayBeNullHere)}
  create index jobs_by_account on jobs (account_id, created_at_ms);
  create index jobs_unfinished on jobs (seq) where state in ('queued', 'running');

  create table bots (
    seq integer primary key autoincrement,
    id text not null unique,
    account_id integer not null references accounts (id),
    payload_json text not null check (json_valid(payload_json)),
    is_demo integer not null check (is_demo = 1), -- the embedded plan offers demo bots only (A-19)
    state text not null check (state in ('created', 'running', 'stopped')),
    created_at_ms integer not null,
    updated_at_ms integer not null,
    started_at_ms integer,
    stopped_at_ms integer
  ) strict;
  create index bots_by_account on bots (account_id, seq);
  `,
  `
  -- What a bot was told. With its terms and the candles of its market this decides everything it did; nothing else is kept of it.
  ${botCommandsTable('bot_commands', mayBeNullHere)}
  create index bot_commands_by_bot on bot_commands (bot_id, seq);

  alter table bots drop column state; -- follows from commands and candles
  alter table bots drop column started_at_ms;
  alter table bots drop column stopped_at_ms;
  -- interval, conventions, costs and symbol rules, fixed at the first start
  alter table bots add column terms_json text check (json_valid(terms_json));

  create table market_clock ( -- no row: market time is the wall clock
    id integer not null primary key check (id = 1),
    wall_ms integer not null, -- when it was set
    market_ms integer not null, -- to what
    speed real not null check (speed > 0)
  ) strict;
  `,
  `
  -- Every check of a JSON column allows null in so many words: older SQLite (3.40) has json_valid(null) = 0, so that a dump could not be
  -- restored there and integrity_check complained. A check cannot be altered, so the tables are made anew with their rows.
  ${keysTable('keys_anew', mayBeNullAnywhere)}
  insert into keys_anew select * from keys;
  drop table keys;
  alter table keys_anew rename to keys;

  ${jobsTable('jobs_anew', mayBeNullAnywhere)}
  insert into jobs_anew select * from jobs;
  drop table jobs;
  alter table jobs_anew rename to jobs;
  create index jobs_by_account on jobs (account_id, created_at_ms);
  create index jobs_unfinished on jobs (seq) where state in ('queued', 'running');

  create table bots_anew (
    seq integer primary key autoincrement,
    id text not null unique,
    account_id integer not null references accounts (id),
    payload_json text not null check (payload_json is null or json_valid(payload_json)),
    is_demo integer not null check (is_demo = 1), -- the embedded plan offers demo bots only (A-19)
    created_at_ms integer not null,
    updated_at_ms integer not null,
    terms_json text check (terms_json is null or json_valid(terms_json)) -- interval, conventions, costs and symbol rules, fixed at the first start
  ) strict;
  insert into bots_anew select * from bots;
  drop table bots;
  alter table bots_anew rename to bots;
  create index bots_by_account on bots (account_id, seq);

  ${botCommandsTable('bot_commands_anew', mayBeNullAnywhere)}
  insert into bot_commands_anew select * from bot_commands;
  drop table bot_commands;
  alter table bot_commands_anew rename to bot_commands;
  create index bot_commands_by_bot on bot_commands (bot_id, seq);
  `,
]
