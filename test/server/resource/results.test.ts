import { type as ark } from 'arktype'
import { resource } from 'fastify-services'
import { types } from 'pg'
import t from 'tap'
import Type from 'typebox'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

const at = new Date(0)
const Thing = Type.Object({
  id: Type.Integer(),
  name: Type.Optional(Type.String({ default: 'one', maxLength: 3 })),
  at: Type.Optional(Type.String({ format: 'date-time' })),
  count: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  limit: Type.Optional({ type: ['integer', 'null'] } as Type.TSchema),
  day: Type.Optional(Type.String({ format: 'date' })),
  kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  deep: Type.Optional(Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) })),
  list: Type.Optional(Type.Array(Type.Object({ a: Type.String() }))),
  names: Type.Optional(Type.Record(Type.String(), Type.Object({ a: Type.String() }))),
  shape: Type.Optional(
    Type.Union([
      Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() }),
      Type.Object({ kind: Type.Literal('square'), side: Type.Number() })
    ])
  )
})

const results: [name: string, record: object, sent: object][] = [
  ['a part of a record', { name: 'a' }, { name: 'a' }],
  ['nothing', {}, {}],
  [
    'fields that the schema does not name',
    { id: 1, secret: 1, deep: { a: 'x', secret: 1 } },
    { id: 1, deep: { a: 'x' } }
  ],
  [
    'fields of items',
    { list: [{ a: 'x', secret: 1 }], names: { n: { a: 'x', secret: 1 } } },
    { list: [{ a: 'x' }], names: { n: { a: 'x' } } }
  ],
  ['a part of an object in it', { deep: { b: 1 } }, { deep: { b: 1 } }],
  [
    'empty columns',
    { id: null, name: null, at: null, kind: null, deep: null, list: null },
    { id: null, name: null, at: null, kind: null, deep: null, list: null }
  ],
  ['dates', { at, day: at }, { at: at.toISOString(), day: '1970-01-01' }],
  ['values that no client could send', { name: 'too long', kind: 'c' }, { name: 'too long', kind: 'c' }],
  ['one of a union', { shape: { kind: 'square', side: 2, secret: 1 } }, { shape: { kind: 'square', side: 2 } }],
  ['columns that may be empty', { limit: '7', count: null }, { limit: 7, count: null }],
  ['empty ones', { limit: null, count: 1 }, { limit: null, count: 1 }],
  [
    'texts of numbers that are exact',
    { deep: { b: '1.10' }, shape: { kind: 'circle', radius: '-0.5e-7' }, id: '+007' },
    { deep: { b: 1.1 }, shape: { kind: 'circle', radius: -5e-8 }, id: 7 }
  ],
  [
    'texts that no number is exactly',
    { deep: { b: '12345678901.123456789' }, limit: '9007199254740993', id: '0x10', count: '1e400' },
    { deep: { b: '12345678901.123456789' }, limit: '9007199254740993', id: '0x10', count: '1e400' }
  ],
  ['texts of no number', { deep: { b: ' ' }, id: '', count: '.' }, { deep: { b: ' ' }, id: '', count: '.' }],
  ['a nought with digits', { deep: { b: '-0.00' } }, { deep: { b: 0 } }],
  ['big integers', { id: 2n ** 40n }, { id: 2 ** 40 }],
  ['numbers for texts', { name: 7n, deep: { a: 2 } }, { name: '7', deep: { a: '2' } }]
]

t.test('what leaves', async (t) => {
  const { send, setResult } = await createEcho(t, resource(Thing))
  for (const [name, record, sent] of results) {
    setResult(record)
    t.strictSame(await send({ url: '/1' }), [200, sent], name)
    t.strictSame(await send({ method: 'POST', payload: { id: 1 } }), [201, sent], `${name}, created`)
    setResult([record, record])
    t.strictSame(await send({}), [200, [sent, sent]], `${name}, a list`)
    setResult({ total: 1, limit: 1, skip: 0, data: [record] })
    t.strictSame(await send({}), [200, { total: 1, limit: 1, skip: 0, data: [sent] }], `${name}, a page`)
  }
})

t.test('what leaves: dates that a codec of zod gives', async (t) => {
  const date = z.codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString()
  })
  const { app, post } = await createEcho(t, resource(z.object({ at: date })))
  t.strictSame(await post({ at: '2030-01-01T00:00:00Z' }), [201, { at: '2030-01-01T00:00:00.000Z' }])
  const seen: unknown[] = []
  app.service('things').on('created', (record: unknown) => seen.push(record))
  await post({ at: '2030-01-01T00:00:00Z' })
  t.strictSame(seen, [{ at: new Date('2030-01-01T00:00:00Z') }], 'the service gets dates')
})

t.test('a day leaves as it is stored, wherever the server is', async (t) => {
  const zone = process.env.TZ
  t.teardown(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  const Day = ark('string.date.iso')
    .and(/^[\d-]{10}$/)
    .configure({ format: 'date' } as object)
  const echoes = [
    await createEcho(t, resource(Thing)),
    await createEcho(t, resource(ark({ id: 'number.integer', 'day?': Day.or('null') })))
  ]
  const ofDriver = types.getTypeParser(types.builtins.DATE)
  for (const name of ['Europe/Berlin', 'Asia/Kolkata', 'America/New_York', 'Pacific/Auckland', 'Africa/Cairo', 'UTC']) {
    process.env.TZ = name
    for (const day of ['2030-01-01', '2030-07-31', '0099-12-31', '1890-02-28', '2030-04-26']) {
      const dates = [ofDriver(day), new Date(`${day}T00:00:00Z`), new Date(`${day}T12:34:56Z`)]
      for (const date of dates) {
        for (const { send, setResult } of echoes) {
          setResult({ day: date })
          t.strictSame(await send({ url: '/1' }), [200, { day }], `${name}: ${day}`)
        }
      }
    }
  }
})
