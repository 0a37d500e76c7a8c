import { resource } from 'fastify-services'
import t from 'tap'
import { z } from 'zod'
import { createEcho } from '../../support/resource-app.js'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
type Test = Parameters<typeof createEcho>[0]
const answers = async (t: Test, schema: object, record: unknown) =>
  (await createEcho(t, resource(schema), record)).send({ url: '/1' })

t.test(
  'a check that throws is an error of the server, but where a body is nested deeper than it can read',
  async (t) => {
    const throws = (error: Error) => () => {
      throw error
    }
    const broken = throws(new Error('The check is broken'))
    const tooDeep = throws(new RangeError('Maximum call stack size exceeded'))
    const echo = (check: () => unknown) =>
      createEcho(t, resource(z.object({ a: z.string().refine(check) }), { lists: true }))
    for (const check of [broken, async () => broken()]) {
      const { post } = await echo(check)
      t.strictSame(await post({ a: 'x' }), [500, 'The check is broken'])
    }
    for (const check of [tooDeep, async () => tooDeep()]) {
      const { post } = await echo(check)
      t.strictSame(await post({ a: 'x' }), [400, 'The data is nested too deep'])
      t.strictSame(await post([{ a: 'x' }]), [400, '[0] is nested too deep'])
    }
  }
)

t.test('dates of a driver, by what the schema says of them', async (t) => {
  const at = new Date('2026-03-04T05:06:07.008Z')
  const texts = { type: 'string' }
  const formats = { day: 'date', hour: 'time', moment: 'date-time' }
  const schema = object({
    plain: texts,
    ...Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, { ...texts, format }]))
  })
  t.strictSame(await answers(t, schema, { plain: at, day: at, hour: at, moment: at }), [
    200,
    { plain: at.toISOString(), day: '2026-03-04', hour: '05:06:07', moment: at.toISOString() }
  ])
})

t.test('`infinity` of PostgreSQL, a number to its driver, is null in each format', async (t) => {
  const schema = object({
    plain: { type: 'string' },
    moment: { type: 'string', format: 'date-time' },
    n: { type: 'number' }
  })
  for (const value of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])
    t.strictSame(await answers(t, schema, { plain: value, moment: value, n: value }), [
      200,
      { plain: null, moment: null, n: null }
    ])
})

t.test('objects that give themselves as JSON in the place of a scalar', async (t) => {
  const json = (value: unknown) => ({ toJSON: () => value })
  const schema = object({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' }, d: { type: 'string' } })
  const record = { a: json('x'), b: json({ secret: 1 }), c: json(json(json({ secret: 1 }))), d: json(null) }
  t.strictSame(await answers(t, schema, record), [200, { a: 'x', d: null }])
})

t.test('a name that would set the prototype of an answer does not leave', async (t) => {
  const record = JSON.parse('{"a":1,"__proto__":{"b":1}}')
  t.strictSame(await answers(t, object({ a: {} }, { additionalProperties: true }), record), [200, { a: 1 }])
})

t.test('what is no JSON is an error that names the call', async (t) => {
  const circle: Record<string, unknown> = {}
  circle.any = circle
  t.strictSame(await answers(t, object({ any: {} }), circle), [
    500,
    'things.get: the result is not JSON (BigInt or a cycle?)'
  ])
})
