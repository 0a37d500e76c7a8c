import { checkOptions } from '../../core/options.js'
import { defaultTable, tableName } from './pool.js'

/**
 * The statement of a function that waits for the lock of a log: until the transaction ends, nothing
 * else is added.
 */
export const lockLog = (table: string): string => `perform pg_advisory_xact_lock(hashtext('${table}'), 1)`

/**
 * The SQL that makes the tables and functions of `postgresLog` and `postgresStore`, for a migration
 * or the start of the application. What is there already stays.
 *
 * @param options `table`: what their names begin with, as for the log and the store
 * @throws {TypeError} where `table` can't be part of a name
 * @example
 * await pool.query(postgresTables())
 */
export function postgresTables(options: { table?: string } = {}): string {
  checkOptions('postgresTables', { table: tableName }, options)
  const { table = defaultTable } = options
  const lock = lockLog(table)
  return `
select pg_advisory_xact_lock(hashtext('${table}'), 0);

create table if not exists ${table}_log (
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
create index if not exists ${table}_store_until on ${table}_store (until);

-- Adds an entry behind the newest one. An empty log begins with the time, in microseconds: no position of an earlier one comes again.
create or replace function ${table}_add(newest bigint, is_loss boolean, an_event text) returns bigint language sql as $$
  insert into ${table}_log (id, previous, loss, event)
    values (coalesce(newest + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint), newest, is_loss, an_event)
    returning id
$$;

-- Moves what transactions that are committed have written into the log. Ids of the outbox are those of its writing: what is committed later comes later.
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
end $$;

-- Adds a batch of events. Under the lock, ids are in the order of the commits.
create or replace function ${table}_append(
  a_process text, a_batch bigint, to_keep bigint, is_loss boolean, events text[]
) returns bigint language plpgsql as $$
declare
  last_batch bigint;
  newest bigint;
begin
  ${lock};
  select batch into last_batch from ${table}_processes where process = a_process;
  select max(id) into newest from ${table}_log;
  -- It was sent again after a connection had ended, and is there already.
  if last_batch >= a_batch then return newest; end if;
  newest := ${table}_collect(newest);
  for i in 1 .. cardinality(events) loop
    newest := ${table}_add(newest, false, events[i]);
  end loop;
  -- What a process that was given up has sent twice is not known any more.
  if is_loss or last_batch is distinct from a_batch - 1 then
    newest := ${table}_add(newest, true, null);
  end if;
  delete from ${table}_log where id < (select id from ${table}_log order by id desc offset to_keep - 1 limit 1);
  insert into ${table}_processes values (a_process, clock_timestamp(), a_batch)
    on conflict (process) do update set beat = excluded.beat, batch = excluded.batch;
  perform pg_notify('${table}', '');
  return newest;
end $$;

-- A sign of life. Times are in ms. Answers the newest id.
create or replace function ${table}_sign(
  a_process text, a_batch bigint, has_signed boolean, patience double precision, age double precision
) returns bigint language plpgsql as $$
declare
  last_batch bigint;
  before bigint;
  newest bigint;
  is_loss boolean;
begin
  ${lock};
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
  -- What a process that was given up has in the log is not known: its next batch may be there already, and tells a loss.
  insert into ${table}_processes values (a_process, clock_timestamp(), a_batch)
    on conflict (process) do update set beat = excluded.beat;
  -- The newest entry stays, however old it is: the next one names it.
  delete from ${table}_log where id < newest and at < clock_timestamp() - age * interval '1 ms';
  return newest;
end $$;
`
}
