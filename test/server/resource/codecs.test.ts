import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services, { type DataOf, type QueryOf, type RecordOf, resource } from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import * as z from 'zod'
import { list, startEvents } from '../../support/events-app.js'

const headers = { accept: 'application/json' }

const isoDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString()
})
const seconds = z.codec(z.int().min(0), z.date().min(new Date(1000)), {
  decode: (count) => new Date(count * 1000),
  encode: (date) => date.getTime() / 1000
})
const integer = z.codec(z.string().regex(/^\d+$/), z.bigint(), { decode: BigInt, encode: String })
const hex = z.codec(z.string().regex(/^0x[\da-f]+$/), z.number(), {
  decode: (text) => Number.parseInt(text, 16),
  encode: (number) => `0x${number.toString(16)}`
})
const rotate = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97))
// Both sides have the same type: what is encoded or decoded twice is seen.
const rotated = z.codec(z.string(), z.string(), { decode: rotate, encode: rotate })
const json = z.codec(z.string(), z.object({ a: z.int() }), {
  decode: (text) => JSON.parse(text),
  encode: (value) => JSON.stringify(value)
})
const tags = z.codec(z.array(z.string()), z.set(z.string()), {
  decode: (list) => new Set(list),
  encode: (set) => [...set]
})

async function createApp(t: Test, schema: object, service: object) {
  const app = Fastify()
  await app.register(swagger, openapi({ info: { title: 'Things', version: '1' } }))
  await app.register(services)
  app.service('things', service, { schema })
  await app.ready()
  t.teardown(() => app.close())
  const send = async (method: string, url = '', payload?: object) => {
    const answer = await app.inject({
      method: method as 'GET',
      url: `/things${url}`,
      headers,
      ...(payload && { payload })
    })
    return [answer.statusCode, answer.body === '' ? '' : answer.json()]
  }
  return { app, send }
}

type Values = Record<string, unknown>

const key = (value: unknown) => (value instanceof Date ? value.getTime() : (value as number))
const operators: Record<string, (left: unknown, right: unknown) => boolean> = {
  $ne: (left, right) => key(left) !== key(right),
  $gt: (left, right) => typeof left === typeof right && key(left) > key(right),
  $in: (left, right) => (right as unknown[]).map(key).includes(key(left)),
  $nin: (left, right) => !(right as unknown[]).map(key).includes(key(left))
}

function isFound(record: Values, query: Values): boolean {
  return Object.entries(query).every(([name, value]) => {
    if (name === '$or') return (value as Values[]).some((part) => isFound(record, part))
    if (name.startsWith('$')) return true
    if (Object.getPrototypeOf(Object(value)) !== Object.prototype) return key(record[name]) === key(value)
    return Object.entries(value as Values).every(([operator, operand]) => operators[operator]?.(record[name], operand))
  })
}

/** Keeps records as they are, as a database with columns of types does. */
class Store {
  readonly records = new Map<number, Values>()

  async find({ query }: { query: Values }) {
    const [[name, direction] = ['id', 1]] = Object.entries((query.$sort ?? {}) as Record<string, number>)
    const found = [...this.records.values()].filter((record) => isFound(record, query))
    const order = (left: Values, right: Values) => (key(left[name]) < key(right[name]) ? -1 : 1) * direction
    return { total: found.length, limit: 10, skip: 0, data: found.sort(order) }
  }

  async get(id: unknown) {
    return this.records.get(Number(id))
  }

  async create(data: Values | Values[]): Promise<unknown> {
    if (Array.isArray(data)) return Promise.all(data.map((item) => this.create(item)))
    return this.update(this.records.size + 1, data)
  }

  async update(id: unknown, data: Values) {
    this.records.set(Number(id), { id: Number(id), ...data })
    return this.get(id)
  }

  async patch(id: unknown, data: Values) {
    return this.update(id, { ...(await this.get(id)), ...data })
  }

  async remove(id: unknown) {
    const record = await this.get(id)
    this.records.delete(Number(id))
    return record
  }

  async again(id: unknown) {
    return this.get(id)
  }
}

interface Row {
  readonly field: z.ZodType
  /** Two values on the wire, of which the second is greater. */
  readonly values: readonly [unknown, unknown]
  /** What the service has. */
  readonly decoded: unknown
  readonly wire: object
  /** A value in a query that is refused. */
  readonly refused?: string
  readonly isOrdered?: boolean
  readonly isFiltered?: false
}

const rows: Readonly<Record<string, Row>> = {
  'a date of a text': {
    field: isoDate,
    values: ['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'],
    decoded: new Date('2030-01-01T00:00:00Z'),
    wire: { type: 'string', format: 'date-time' },
    refused: 'soon',
    isOrdered: true
  },
  'a date of a number': {
    field: seconds,
    values: [5, 7],
    decoded: new Date(5000),
    wire: { type: 'integer', minimum: 0 },
    refused: '2030-01-01T00:00:00.000Z',
    isOrdered: true
  },
  'a date that may be null': {
    field: seconds.nullable(),
    values: [5, 7],
    decoded: new Date(5000),
    wire: {},
    refused: 'x',
    isOrdered: true
  },
  'a date with a default': {
    field: seconds.default(new Date(9000)),
    values: [5, 7],
    decoded: new Date(5000),
    wire: { type: 'integer', minimum: 0 },
    refused: 'x',
    isOrdered: true
  },
  'a number of a text': {
    field: hex,
    values: ['0x1f', '0x2f'],
    decoded: 31,
    wire: { type: 'string' },
    refused: '31',
    isOrdered: true
  },
  'a text of a text': { field: rotated, values: ['nop', 'xyz'], decoded: 'abc', wire: { type: 'string' } },
  'a large integer': {
    field: integer,
    values: ['12345678901234567890', '22345678901234567890'],
    decoded: 12345678901234567890n,
    wire: { type: 'string' },
    refused: 'x',
    isOrdered: true
  },
  'a boolean of a text': {
    field: z.stringbool({ truthy: ['yes'], falsy: ['no'] }),
    values: ['yes', 'no'],
    decoded: true,
    wire: { type: 'string' },
    refused: 'perhaps'
  },
  'a date or a word': {
    field: z.union([z.literal('never'), seconds]),
    values: [5, 'never'],
    decoded: new Date(5000),
    wire: {},
    refused: 'x'
  },
  'a date in a list': {
    field: z.array(seconds),
    values: [[5, 6], [7]],
    decoded: [new Date(5000), new Date(6000)],
    wire: { type: 'array' },
    isFiltered: false
  },
  'a date in an object': {
    field: z.object({ at: seconds }),
    values: [{ at: 5 }, { at: 7 }],
    decoded: { at: new Date(5000) },
    wire: { type: 'object' },
    isFiltered: false
  },
  'a date below any name': {
    field: z.record(z.string(), seconds),
    values: [{ a: 5 }, { a: 7 }],
    decoded: { a: new Date(5000) },
    wire: { type: 'object' },
    isFiltered: false
  },
  'a set': {
    field: tags,
    values: [['a'], ['b', 'c']],
    decoded: new Set(['a']),
    wire: { type: 'array' },
    isFiltered: false
  },
  'an object of a text': {
    field: json,
    values: ['{"a":1}', '{"a":2}'],
    decoded: { a: 1 },
    wire: { type: 'string' },
    isFiltered: false
  },
  'a codec in a codec': {
    field: z.codec(hex, z.date(), { decode: (number) => new Date(number), encode: (date) => date.getTime() }),
    values: ['0x1f', '0x2f'],
    decoded: new Date(31),
    wire: { type: 'string' },
    refused: '31',
    isOrdered: true
  }
}

const query = (value: unknown) => encodeURIComponent(String(value))

for (const [name, { field, values, decoded, wire, refused, isOrdered, isFiltered = true }] of Object.entries(rows))
  t.test(`a codec has one value on the wire, everywhere: ${name}`, async (t) => {
    const stored: unknown[] = []
    const schema = resource(z.object({ id: z.int(), value: field }), {
      readOnly: ['id'],
      lists: true,
      methods: { again: { route: 'GET /:id/again' } }
    })
    const { app, send } = await createApp(t, schema, new Store())
    app.service('things').on('created', (record: { value: unknown }) => stored.push(record.value))
    const records = values.map((value, index) => ({ id: index + 1, value }))
    const [first, second] = records as [object, object]
    t.strictSame(await send('POST', '', { value: values[0] }), [201, first])
    t.strictSame(stored, [decoded], 'the service gets what the codec makes')
    t.strictSame(await send('POST', '', [{ value: values[1] }]), [201, [second]])
    t.strictSame(await send('GET', '/1'), [200, first])
    t.strictSame(await send('GET', '/1/again'), [200, first], 'a custom method')
    t.strictSame(await send('PUT', '/1', { value: values[0] }), [200, first], 'what was read can be written')
    t.strictSame(await send('PATCH', '/1', { value: values[0] }), [200, first])
    const page = (...data: object[]) => [200, { total: data.length, limit: 10, skip: 0, data }]
    t.strictSame(await send('GET', '?$sort[id]=1'), page(...records))
    t.strictSame(await send('GET', '?$select[]=value&id=1'), page(first))
    if (isFiltered) {
      const [low, high] = values.map(query)
      t.strictSame(await send('GET', `?value=${low}`), page(first), 'equality')
      t.strictSame(await send('GET', `?value[$ne]=${low}`), page(second))
      t.strictSame(await send('GET', `?value[$in][]=${low}&value[$in][]=${high}&$sort[id]=1`), page(first, second))
      t.strictSame(await send('GET', `?value[$nin][]=${low}`), page(second))
      t.strictSame(await send('GET', `?$or[0][value]=${high}`), page(second))
      if (isOrdered) {
        t.strictSame(await send('GET', `?value[$gt]=${low}`), page(second))
        t.strictSame(await send('GET', '?$sort[value]=-1'), page(second, first))
      }
      if (refused !== undefined) t.match(await send('GET', `?value=${query(refused)}`), [400, { name: 'BadRequest' }])
    } else t.match(await send('GET', '?value=a'), [400, { message: /^value / }])
    t.match(await send('POST', '', { value: true }), [400, { name: 'BadRequest' }])
    const { paths, components } = app.swagger() as unknown as Record<string, Record<string, object>>
    const thing = (components as { schemas: Record<string, { properties?: { value?: object } }> }).schemas
    const shown = Object.values(thing).flatMap(({ properties }) => properties?.value ?? [])
    t.ok(shown.length > 0)
    for (const value of shown) t.match(value, wire)
    t.notMatch(JSON.stringify([paths, components]), /codec|"default":"/)
    t.strictSame(await send('DELETE', '/1'), [200, first])
  })

t.test('what is stored can be sent, whatever a database makes of it', async (t) => {
  const fields = { at: seconds, iso: isoDate, hex, big: integer, yes: rows['a boolean of a text']?.field, json }
  const answers: [stored: Values, sent: Values][] = [
    [{ at: 5, iso: '2030-01-01T00:00:00.000Z', hex: '0x1f', big: '5', yes: 'no', json: '{"a":1}' }, {}],
    [{ at: null, iso: null, hex: null, json: null }, {}],
    [{ at: new Date(0) }, { at: 0 }],
    [{ at: new Date(Number.NaN) }, { at: null }],
    [{ hex: '31' }, { hex: '0x1f' }],
    [{ yes: 1 }, { yes: 'yes' }],
    [
      { at: { secret: 1 }, json: { b: 2 }, hex: [1] },
      { at: undefined, json: undefined, hex: undefined }
    ],
    [{ json: { a: 1, secret: 2 } }, { json: '{"a":1}' }]
  ]
  const store = new Store()
  const { send } = await createApp(t, resource(z.object({ id: z.int(), ...fields }).partial()), store)
  for (const [index, [stored]] of answers.entries()) store.records.set(index, { id: index, ...stored })
  const sent = answers.map(([stored, sent], id) => JSON.parse(JSON.stringify({ id, ...stored, ...sent })))
  t.strictSame(await send('GET'), [200, { total: answers.length, limit: 10, skip: 0, data: sent }])
})

t.test('nothing that is hidden leaves by a codec', async (t) => {
  const hidden = z.string().meta({ writeOnly: true })
  const same = <T>(value: T) => value
  const person = z.codec(z.object({ name: z.string(), key: hidden.optional() }), z.string(), {
    decode: ({ name }) => name,
    encode: (name) => ({ name, key: 'SECRET', more: 'SECRET' })
  })
  const password = z.codec(hidden, z.string(), { decode: same, encode: same })
  const pin = z.codec(z.string(), hidden, { decode: same, encode: same })
  const people = z.array(person).optional()
  const schema = z.object({
    id: z.int(),
    person,
    people,
    password: password.optional(),
    pin: pin.optional(),
    token: hex
  })
  const { send } = await createApp(t, resource(schema, { readOnly: ['id'], writeOnly: ['token'] }), new Store())
  const secrets = { password: 'SECRET', pin: 'SECRET', token: '0x1f' }
  const left = { id: 1, person: { name: 'Ada' } }
  t.strictSame(await send('POST', '', { person: { name: 'Ada', key: 'SECRET' }, ...secrets }), [201, left])
  t.strictSame(await send('GET', '/1'), [200, left])
  for (const name of Object.keys(secrets))
    t.match(await send('GET', `?${name}=0x1f`), [400, { message: `${name} is not known` }])
  for (const name of ['person', 'people'])
    t.match(await send('GET', `?${name}=Ada`), [400, { message: new RegExp(`^${name} is not known`) }])
})

t.test('a query can not make operators of a codec', async (t) => {
  const free = z.codec(z.string(), z.any(), {
    decode: (text) => JSON.parse(text),
    encode: (value) => JSON.stringify(value)
  })
  const seen: unknown[] = []
  const find = async ({ query }: { query: object }) => {
    seen.push(query)
    return []
  }
  const { send } = await createApp(t, resource(z.object({ id: z.int(), free })), { find })
  for (const text of ['{"$ne":null}', '[1]', '{}'])
    t.match(await send('GET', `?free=${query(text)}`), [400, { message: 'free: can not be compared' }])
  t.match(await send('GET', '?free={'), [400, { name: 'BadRequest' }], 'a codec that throws')
  t.strictSame(await send('GET', '?free[$in][]=1&free[$in][]=null'), [200, []])
  const later = z.codec(z.string(), z.number(), { decode: (text) => Promise.resolve(Number(text)), encode: String })
  const asynchronous = await createApp(t, resource(z.object({ later })), { find })
  t.match(await asynchronous.send('GET', '?later=1'), [500, { name: 'GeneralError' }])
  t.strictSame(seen, [{ free: { $in: [1, null] } }])
})

t.test('a value that is decoded as undefined can not be compared, and a wire of many types is decoded', async (t) => {
  const filled = z.codec(z.string(), z.string().optional(), {
    decode: (text) => text || undefined,
    encode: (text) => text ?? ''
  })
  const any = z.codec(z.union([z.string().min(2), z.int()]), z.date(), {
    decode: (value) => new Date(value),
    encode: (date) => date.toISOString()
  })
  const { send } = await createApp(t, resource(z.object({ id: z.int(), filled, any })), { find: async () => [] })
  t.match(await send('GET', '?filled='), [400, { message: 'filled: can not be compared' }])
  t.strictSame(await send('GET', '?filled=a&any=2030-01-01'), [200, []])
  t.equal((await send('GET', '?any=soon'))[0], 400, 'no branch of the wire takes it without the codec')
})

t.test('the null of a nullable field is no value of its codec', async (t) => {
  const json = z.codec(z.string(), z.any(), {
    decode: (text) => JSON.parse(text),
    encode: (value) => JSON.stringify(value)
  })
  const text = z.codec(z.string(), z.any(), { decode: (text) => text, encode: (value) => value.toString() })
  const empty = z.codec(z.string(), z.string().nullable(), {
    decode: (text) => text || null,
    encode: (text) => text ?? ''
  })
  const Thing = z.object({ id: z.int(), json, orNull: json.nullable(), text: text.nullable(), empty })
  const { send } = await createApp(t, resource(Thing, { readOnly: ['id'] }), new Store())
  const sent = { json: 'null', orNull: null, text: null, empty: '' }
  t.strictSame(await send('POST', '', sent), [201, { id: 1, ...sent }])
})

t.test('a codec that fails is 500, and says nothing of the server', async (t) => {
  const fail = (value: number): string => {
    throw new Error(`INTERNAL ${value}`)
  }
  const later = async (value: string) => Number(value)
  const failing = z.codec(z.string(), z.number(), { decode: Number, encode: fail })
  const promising = z.codec(z.string(), z.number(), {
    decode: Number,
    encode: (value) => later(String(value)) as never
  })
  const checking = z.codec(z.string().refine(later), z.number(), { decode: Number, encode: String })
  for (const value of [failing, promising, checking]) {
    const { send } = await createApp(t, resource(z.object({ id: z.int(), value })), {
      get: async () => ({ id: 1, value: 5 })
    })
    const message = 'things.get: a codec can not encode the result'
    t.match(await send('GET', '/1'), [500, { name: 'GeneralError', message, code: 500, className: 'general-error' }])
  }
})

t.test('the answer of a custom method, and the option `response`, may have codecs', async (t) => {
  const schema = resource(z.object({ id: z.int(), at: z.string() }), {
    response: z.object({ id: z.int(), at: seconds }),
    methods: { latest: { route: 'GET /latest', response: z.object({ at: seconds.nullable() }) } }
  })
  const at = new Date(5000)
  const { send } = await createApp(t, schema, { get: async () => ({ id: 1, at }), latest: async () => ({ at }) })
  t.strictSame(await send('GET', '/1'), [200, { id: 1, at: 5 }])
  t.strictSame(await send('GET', '/latest'), [200, { at: 5 }])
})

t.test('the wire of a codec may be a schema with a name, or with itself within', async (t) => {
  const key = z.string().meta({ writeOnly: true }).optional()
  const Point = z.object({ x: hex, key }).meta({ id: 'Point' })
  const Branch = z.object({
    name: z.string(),
    key,
    get inner() {
      return z.array(Branch).optional()
    }
  })
  const point = z.codec(Point, z.array(z.number()), {
    decode: ({ x }) => [x],
    encode: ([x = 0]) => ({ x, key: 'SECRET' })
  })
  const branch = z.codec(Branch, z.string(), {
    decode: ({ name }) => name,
    encode: (name) => ({ name, key: 'SECRET', inner: [{ name, key: 'SECRET' }] })
  })
  const { send } = await createApp(t, resource(z.object({ point, again: point.optional(), branch })), new Store())
  const record = { point: { x: '0x1f' }, again: { x: '0x2' }, branch: { name: 'a', inner: [{ name: 'a' }] } }
  t.strictSame(await send('POST', '', record), [201, record])
})

t.test('a value that the codec refuses to encode is sent as it is, and one that passes a limit is sent', async (t) => {
  const even = z.codec(z.string().max(2), z.number(), {
    decode: Number,
    encode: (value, { issues }) => {
      if (value % 2 !== 0) issues.push({ code: 'custom', input: value, message: 'is odd' })
      return `${value}`
    }
  })
  const store = new Store()
  const { send } = await createApp(t, resource(z.object({ even: even.optional() })), store)
  for (const [id, value] of [3, 4, 1000].entries()) store.records.set(id, { even: value })
  t.match(await send('GET'), [200, { data: ['3', '4', '1000'].map((text) => ({ even: text })) }])
})

t.test('a codec that works in one way alone stops the start', async (t) => {
  const same = <T>(value: T) => value
  const nested = z.object({ key: z.string().meta({ writeOnly: true }) })
  const Node = z.object({
    id: z.int(),
    get inner(): z.ZodType {
      return z
        .codec(z.string(), Node, { decode: (text) => JSON.parse(text), encode: (value) => JSON.stringify(value) })
        .optional()
    }
  })
  const upper = z.string().transform((text) => text.toUpperCase())
  const rows: [schema: z.ZodType, message: RegExp][] = [
    [z.codec(z.object({ id: z.int() }), z.object({ id: z.int() }), { decode: same, encode: same }), /of each field/],
    [z.object({ a: z.codec(z.string(), z.string(), { decode: async (text) => text, encode: same }) }), /'a': .*async/],
    [
      z.object({
        a: z.codec(z.string(), nested, { decode: (text) => JSON.parse(text), encode: (value) => JSON.stringify(value) })
      }),
      /'a'.*`writeOnly`, but the codec converts it as a whole/
    ],
    [
      z.object({ a: z.codec(z.any(), z.map(z.string(), nested), { decode: () => new Map(), encode: same }) }),
      /'a'.*`writeOnly`, but the codec converts it as a whole/
    ],
    [
      z.object({
        a: z.codec(z.string(), z.object({ key: z.string().meta({ readOnly: true }) }), {
          decode: (text) => JSON.parse(text),
          encode: (value) => JSON.stringify(value)
        })
      }),
      /'a'.*`readOnly`, but the codec converts it as a whole/
    ],
    [Node, /'inner': it holds the record itself/],
    [z.object({ a: z.codec(upper, z.string(), { decode: same, encode: same }) }), /'a': .*has no way back/],
    [z.object({ a: z.codec(z.string(), upper, { decode: same, encode: same }) }), /'a': .*has no way back/]
  ]
  for (const [schema, message] of rows) t.throws(() => resource(schema as never), { name: /TypeError/, message })
})

t.test('types: a client has what is on the wire, and a service what the codec makes of it', async (t) => {
  const Visit = z.object({
    id: z.int(),
    at: isoDate,
    ends: seconds.nullable(),
    days: z.array(seconds),
    deep: z.object({ big: integer.prefault('1') }),
    kind: z.union([z.literal('never'), seconds]),
    plain: z.string().default('a'),
    size: z.string().transform(Number).pipe(z.number())
  })
  const visits = resource(Visit, { readOnly: ['id'] })
  const record: RecordOf<typeof visits> = {
    id: 1,
    at: '2030-01-01T00:00:00.000Z',
    ends: 5,
    days: [5],
    deep: { big: '1' },
    kind: 5,
    plain: 'a',
    size: 3
  }
  const { id, ...data } = record
  const sent: DataOf<typeof visits> = { ...data, size: '3' }
  const query: QueryOf<typeof visits> = { at: { $gt: '2030-01-01T00:00:00.000Z' }, ends: 5 }
  // @ts-expect-error A client has no dates.
  const wrong: RecordOf<typeof visits> = { ...record, at: new Date() }
  class VisitService {
    async get() {
      return { ...record, at: new Date(record.at), days: [new Date(5000)], deep: { big: 1n } }
    }
    async create(data: Omit<z.output<typeof Visit>, 'id'>) {
      return { ...data, id }
    }
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('visits', new VisitService(), { schema: visits })
  const answer = await app.inject({ method: 'POST', url: '/visits', payload: sent })
  t.strictSame([answer.statusCode, answer.json()], [201, record])
  t.ok([query, wrong])
})

t.test('a stream of events sends what is on the wire, and a list that compares with it is told', async (t) => {
  const schema = resource(z.object({ id: z.int(), at: seconds }), { readOnly: ['id'] })
  const { subscribe, call } = await startEvents(
    t,
    (app) => app.service('things', new Store() as object, { schema: schema as object }),
    { services: { things: { records: true, rule: 'hooks' } } }
  )
  const later = await subscribe(list('things', '&subscribe[0][query][at][$gt]=500000')).connected
  await call('POST', '/things', { at: 5 })
  await call('POST', '/things', { at: 1_000_000 })
  t.strictSame(await later.count(1), [{ path: 'things', event: 'created', data: { id: 2, at: 1_000_000 } }])
})
