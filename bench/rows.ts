import { hookCount } from './subjects/hooks.js'

/** A subject and what it does, as in `ours:1000 404`. */
export type Key = `${string} ${string}`

/** A line of the table of what is to be reached. */
export interface Row {
  readonly id: string
  readonly text: string
  /** What it was when the aim was set. */
  readonly now: string
  readonly bound: '≥' | '≤'
  readonly wanted: number
  readonly needs: readonly Key[]
  /** From what was counted, in thousands or in microseconds; of a heap in bytes. */
  value(of: (key: Key) => number): number
  /** Whether the value is a number of instructions: CPU time can't be held against it. */
  readonly isAbsolute?: boolean
}

/** What one subject costs, divided by what another one costs. */
function ratio(id: string, text: string, now: string, bound: Row['bound'], wanted: number, over: Key, under: Key): Row {
  return { id, text, now, bound, wanted, needs: [over, under], value: (of) => of(over) / of(under) }
}

/** What a hook adds to a request, in thousand instructions. */
function difference(id: string, text: string, wanted: number, whole: Key, without: Key): Row {
  const value: Row['value'] = (of) => of(whole) - of(without)
  return { id, text, now: '–', bound: '≤', wanted, needs: [whole, without], value, isAbsolute: true }
}

function perHook(kind: string, now: string, wanted: number): Row {
  const [some, none]: Key[] = [`hooks:${kind} call`, 'hooks:none call']
  const value: Row['value'] = (of) => (of(some as Key) - of(none as Key)) / hookCount
  const text = `per hook in a call: ${kind} (thousand)`
  return {
    id: `hooks-${kind}`,
    text,
    now,
    bound: '≤',
    wanted,
    needs: [some as Key, none as Key],
    value,
    isAbsolute: true
  }
}

const kib = 1024
const many = 3000

export const rows: readonly Row[] = [
  ratio('get', 'get: by hand ÷ ours', '0.92', '≥', 0.95, 'by-hand get', 'ours get'),
  ratio('create', 'create: by hand ÷ ours', '0.92', '≥', 0.95, 'by-hand create', 'ours create'),
  ratio('find', 'nested find: by hand ÷ ours', '0.88', '≥', 1.08, 'by-hand find', 'ours find'),
  ratio('flat', 'flat find: by hand ÷ ours', '0.93', '≥', 1, 'by-hand flat', 'ours flat'),
  ratio(
    'schema-get',
    'get, both with a schema: by hand ÷ ours',
    '0.89',
    '≥',
    0.95,
    'by-hand:schema get',
    'ours:schema get'
  ),
  ratio(
    'schema-page-10',
    'page of ten, both with a schema: by hand ÷ ours',
    '0.88',
    '≥',
    1,
    'by-hand:schema page-of-10',
    'ours:schema page-of-10'
  ),
  ratio(
    'schema-page-1000',
    'page of 1,000, both with a schema: by hand ÷ ours',
    '–',
    '≥',
    1,
    'by-hand:schema page-of-1000',
    'ours:schema page-of-1000'
  ),
  ...[
    ['resource-get', 'get', 'get', ''],
    ['resource-page-10', 'page of ten', 'page-of-10', '-paged'],
    ['resource-page-1000', 'page of 1,000', 'page-of-1000', '-paged'],
    ['resource-create', 'create', 'create', '']
  ].map(([id, text, work, paged]) =>
    ratio(
      id as string,
      `${text}: with \`resource()\` ÷ by hand with schemas of Fastify`,
      '–',
      '≤',
      1,
      `ours:resource${paged} ${work}`,
      `by-hand:resource${paged} ${work}`
    )
  ),
  ratio(
    'resource-zod-create',
    'create: with `resource()` and zod ÷ by hand with schemas of Fastify',
    '–',
    '≤',
    1.25,
    'ours:resource-zod create',
    'by-hand:resource create'
  ),
  ratio(
    'missing',
    '404 that a method throws: by hand ÷ ours',
    '0.78',
    '≥',
    0.95,
    'by-hand:errors missing',
    'ours:errors missing'
  ),
  ratio(
    'batch',
    'batch of 1,000, both with a schema: by hand ÷ ours',
    '0.67',
    '≥',
    0.95,
    'by-hand:batch batch-of-1000',
    'ours:batch batch-of-1000'
  ),
  ratio('early', 'get: ours ÷ ours after an early full collection', '0.63', '≥', 0.98, 'ours get', 'ours@early get'),
  ratio(
    'early-six',
    'get, both after an early full collection: by hand with six plugins ÷ ours',
    '0.95',
    '≥',
    1.3,
    'by-hand:six@early get',
    'ours@early get'
  ),
  ratio('koa-get', 'get: koa ÷ ours', '1.75', '≥', 1.75, 'koa get', 'ours get'),
  ratio('koa-find', 'nested find: koa ÷ ours', '1.27', '≥', 1.5, 'koa find', 'ours find'),
  ratio('koa-create', 'create: koa ÷ ours', '1.85', '≥', 1.85, 'koa create', 'ours create'),
  ratio(
    'mounted-call',
    "a call inside of a mounted service: ours ÷ Feathers' own",
    '–',
    '≤',
    1.1,
    'mounted:ours call',
    'mounted:theirs call'
  ),
  ratio('mounted-get', 'get: mounted ÷ koa', '–', '≤', 0.8, 'mounted get', 'koa get'),
  ratio('404', '404: 1,000 services ÷ one', '16–26', '≤', 1.1, 'ours:1000 404', 'ours 404'),
  ratio('405', '405: 1,000 services ÷ one', '16–26', '≤', 1.1, 'ours:1000 405', 'ours 405'),
  perHook('around', '2.0', 1.3),
  perHook('before', '3.4', 1),
  perHook('after', '3.4', 1),
  {
    id: '405-one',
    text: '405 (thousand)',
    now: '371–442',
    bound: '≤',
    wanted: 300,
    needs: ['ours 405'],
    value: (of) => of('ours 405'),
    isAbsolute: true
  },
  {
    id: 'stream',
    text: 'stream of 10,000 records (thousand)',
    now: '268,000',
    bound: '≤',
    wanted: 140_000,
    needs: ['ours:stream records', 'by-hand:stream records'],
    value: (of) => of('ours:stream records'),
    isAbsolute: true
  },
  ratio(
    'jwt',
    '`jwt` guard, the same look-up of the user: by hand ÷ ours',
    '0.65',
    '≥',
    0.85,
    'by-hand:guarded guarded',
    'ours:guarded guarded'
  ),
  difference('scope', '`own(field)`, a get by its user (thousand)', 3, 'ours:scoped get', 'ours:user get'),
  difference('allow', '`allow(roles)`, a get of four fields (thousand)', 4, 'ours:allowed get', 'ours:user get'),
  ratio(
    'client-fetch',
    'client `get`: ours ÷ bare fetch',
    '1.57',
    '≤',
    1.3,
    'client:ours client-get',
    'client:fetch client-get'
  ),
  ratio(
    'client-feathers',
    "client `get`: ours ÷ Feathers'",
    '1.15',
    '≤',
    0.95,
    'client:ours client-get',
    'client:feathers client-get'
  ),
  {
    id: 'many',
    text: '3,000 services start; heap per service (KiB)',
    now: 'crash',
    bound: '≤',
    wanted: 60,
    needs: [`many:${many} heap`, 'many:0 heap'],
    value: (of) => (of(`many:${many} heap`) - of('many:0 heap')) / many / kib
  }
]

export const servers = ['by-hand', 'ours', 'by-hand:schema', 'ours:schema', 'koa', 'express', 'http'] as const

/** What the page shows beside what the rows need. */
export const others: readonly Key[] = [
  ...['koa', 'express', 'http'].flatMap((server): Key[] => [
    `${server} get`,
    `${server} find`,
    `${server} flat`,
    `${server} create`
  ]),
  'by-hand@early get',
  'by-hand:six get'
]

/** The rows that are asked for: one by its id, or several by how their ids begin, as `koa`. @throws when there is none */
export function rowsNamed(only: string | undefined): readonly Row[] {
  if (only === undefined) return rows
  const exact = rows.filter(({ id }) => id === only)
  const chosen = exact.length > 0 ? exact : rows.filter(({ id }) => id.startsWith(`${only}-`))
  if (chosen.length > 0) return chosen
  throw new Error(`There is no row '${only}': they are ${rows.map(({ id }) => id).join(', ')}`)
}
