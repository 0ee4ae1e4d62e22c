/** The fifth layout: for demo bots made from a file, too, the intent is stored first (`dcalab bots create`). */
export const fifthLayout = `
create table bot_order (
  -- The last creation of a demo bot of that name: on disk before the request leaves. What the account holds is asked of the service.
  id integer primary key,
  identity text not null references service,
  account text not null,
  name text not null check (length(name) >= 1),
  state text not null check (state in ('intent', 'created', 'verified', 'released', 'ambiguous', 'alarmed')),
  bot_id text,
  opened_at text not null, -- ISO 8601 UTC
  settled_at text,
  reason text,
  unique (identity, account, name),
  check ((state in ('created', 'verified')) <= (bot_id is not null)),
  check ((state = 'intent') = (settled_at is null))
) strict;

create trigger bot_order_begins before insert on bot_order when new.state <> 'intent'
begin select raise(abort, 'a bot order begins as intent'); end;

create trigger bot_order_moves before update of state on bot_order
when not (
  old.state = 'intent' and new.state in ('created', 'released', 'ambiguous')
  or old.state = 'ambiguous' and new.state in ('created', 'released')
  or old.state = 'created' and new.state in ('verified', 'alarmed', 'intent')
  or old.state in ('verified', 'released', 'alarmed') and new.state = 'intent'
)
begin select raise(abort, 'illegal move of a bot order'); end;

create trigger bot_order_is_itself before update of id, identity, account, name on bot_order
begin select raise(abort, 'a bot order keeps what it was opened with'); end;
`
