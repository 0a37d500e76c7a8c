import { checkOptions } from '../../core/options.js'
import { defaultTable, tableName } from './pool.js'

/**
 * Returns the statement that takes the lock of a log in a function of PostgreSQL. Until the
 * transaction ends, nothing else is appended.
 */
export const lockLog = (table: string): string => `perform pg_advisory_xact_lock(hashtext('${table}'), 1)`

/**
 * Returns the SQL that creates the tables and functions of `postgresLog` and `postgresStore`, for a
 * migration or the start of the application. Existing tables are kept.
 *
 * @param options `table`: the prefix of their names, as for the log and the store
 * @throws {TypeError} if `table` can't be part of a name
 * @example
 * await pool.query(postgresTables())
 */
export function postgresTables(options: { table?: string } = {}): string {
  checkOptions('postgresTables', { table: tableName }, options)
  const { table = defaultTable } = options
  return `
select pg_advisory_xact_lock(hashtext('${table}'), 0);

${createTables(table)}

${createEntryFunctions(table)}

${createAppend(table)}

${createBeat(table)}
`
}

const createTables = (table: string) => `create table if not exists ${table}_log (
  id bigint primary key,
  previous bigint,
  at timestamptz not null default clock_timestamp(),
  loss boolean not null default false,
  event text
);
create table if not exists ${table}_processes (
  process text primary key,
  beat timestamptz not null,
  batch bigint not null
);
create table if not exists ${table}_outbox (
  id bigint generated always as identity primary key,
  event text not null
);
create table if not exists ${table}_store (
  key text primary key,
  value text not null,
  until timestamptz not null
);
create index if not exists ${table}_store_until on ${table}_store (until);`

const createEntryFunctions = (
  table: string
) => `-- Appends an entry. An empty log begins with the time in microseconds, so that no id comes again.
create or replace function ${table}_add(newest bigint, is_loss boolean, an_event text) returns bigint language sql as $$
  insert into ${table}_log (id, previous, loss, event)
    values (coalesce(newest + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint), newest, is_loss, an_event)
    returning id
$$;

-- Appends the events of committed transactions. Their order is that of the commits, not of the ids
-- in the outbox.
create or replace function ${table}_collect(newest bigint) returns bigint language plpgsql as $$
declare
  first bigint := coalesce(newest, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  moved bigint;
begin
  with taken as (delete from ${table}_outbox returning *),
  numbered as (select row_number() over (order by id) as place, event from taken)
  insert into ${table}_log (id, previous, event)
    select first + place, case when place = 1 then newest else first + place - 1 end, event from numbered;
  get diagnostics moved = row_count;
  return case when moved = 0 then newest else first + moved end;
end $$;`

const createAppend = (table: string) => `-- Appends a batch. With the lock, the order of the ids is that of the commits.
create or replace function ${table}_append(
  a_process text, a_batch bigint, to_keep bigint, is_loss boolean, events text[]
) returns bigint language plpgsql as $$
declare
  last_batch bigint;
  newest bigint;
begin
  ${lockLog(table)};
  select batch into last_batch from ${table}_processes where process = a_process;
  select max(id) into newest from ${table}_log;
  -- It is there already, and was sent again after a connection had ended.
  if last_batch >= a_batch then return newest; end if;
  newest := ${table}_collect(newest);
  for i in 1 .. cardinality(events) loop
    newest := ${table}_add(newest, false, events[i]);
  end loop;
  -- The numbers of a process that was given up are forgotten: it may have sent this batch twice.
  if is_loss or last_batch is distinct from a_batch - 1 then
    newest := ${table}_add(newest, true, null);
  end if;
  delete from ${table}_log where id < (select id from ${table}_log order by id desc offset to_keep - 1 limit 1);
  insert into ${table}_processes values (a_process, clock_timestamp(), a_batch)
    on conflict (process) do update set beat = excluded.beat, batch = excluded.batch;
  perform pg_notify('${table}', '');
  return newest;
end $$;`

const createBeat = (table: string) => `-- A heartbeat. Times are in ms. Returns the newest id.
create or replace function ${table}_sign(
  a_process text, a_batch bigint, has_signed boolean, patience double precision, age double precision
) returns bigint language plpgsql as $$
declare
  last_batch bigint;
  before bigint;
  newest bigint;
  is_loss boolean;
begin
  ${lockLog(table)};
  select batch into last_batch from ${table}_processes where process = a_process;
  is_loss := has_signed and last_batch is null;
  delete from ${table}_processes
    where process <> a_process and beat < clock_timestamp() - patience * interval '1 ms';
  is_loss := is_loss or found;
  select max(id) into before from ${table}_log;
  newest := ${table}_collect(before);
  if is_loss or newest is null then
    newest := ${table}_add(newest, is_loss, null);
  end if;
  if newest is distinct from before then perform pg_notify('${table}', ''); end if;
  -- The number of a process that was given up is not known: its next batch may be in the log
  -- already, and appends a loss.
  insert into ${table}_processes values (a_process, clock_timestamp(), a_batch)
    on conflict (process) do update set beat = excluded.beat;
  -- Keep the newest entry, however old it is: the next one names it.
  delete from ${table}_log where id < newest and at < clock_timestamp() - age * interval '1 ms';
  return newest;
end $$;`
