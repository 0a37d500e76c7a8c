import { resource } from 'fastify-services'
import t from 'tap'
import { createEcho } from '../../support/resource-app.js'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const echo = (t: Test, schema: object, answer?: unknown) => createEcho(t, resource(schema), answer)
type Test = Parameters<typeof createEcho>[0]

t.test('a body with very many faults is told the first of them', async (t) => {
  const { app } = await echo(t, object({ a: {} }))
  const payload = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]))
  const { errors, message } = (await app.inject({ method: 'POST', url: '/things', payload })).json()
  t.equal(errors.length, 20)
  t.match(message, 'f0 is not known')
})

t.test('an object may have thousands of names that its schema does not spell out', async (t) => {
  const { post } = await echo(t, object({}, { additionalProperties: { type: 'integer' } }))
  const body = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`f${index}`, index]))
  t.strictSame(await post(body), [201, body])
  t.strictSame(await post({ ...body, f1400: 'x' }), [400, 'f1400 must be an integer'])
})

t.test('names that fit any of many patterns at once: what one of them hides does not leave', async (t) => {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const patternProperties = Object.fromEntries(
    letters.map((letter) => [letter, letter === 'g' ? { type: 'integer', writeOnly: true } : { type: 'integer' }])
  )
  const { post } = await echo(t, object({ id: {} }, { patternProperties }))
  const names = Array.from({ length: 128 }, (_, mask) => `x${letters.filter((_, bit) => mask & (1 << bit)).join('')}`)
  const body = Object.fromEntries(names.slice(1).map((name) => [name, 1]))
  const [status, answer] = await post(body)
  t.equal(status, 201)
  t.notOk(Object.keys(answer).some((name) => name.includes('g')))
})

t.test('past the bound of combinations of patterns the rules for all other names hide what they hide', async (t) => {
  const letters = [...'abcdefg']
  const others = object({ n: {}, secret: { writeOnly: true } })
  const patternProperties = Object.fromEntries(letters.map((letter) => [letter, object({ n: {} })]))
  const { post } = await echo(t, object({ id: {} }, { patternProperties, additionalProperties: others }))
  const names = Array.from({ length: 128 }, (_, mask) => letters.filter((_, bit) => mask & (1 << bit)).join(''))
  const bodyOf = (fields: object) => Object.fromEntries([...names.slice(1), 'x', 'y'].map((name) => [name, fields]))
  t.equal((await post(bodyOf({ n: 1 })))[0], 201)
  const [status, { x, y }] = await post({ x: { n: 1, secret: 's' }, y: { n: 1, secret: 's' } })
  t.strictSame([status, x, y], [201, { n: 1 }, { n: 1 }])
})

t.test('several unions of one record, with more combinations of tags than are remembered', async (t) => {
  const count = 11
  const tags = ['k', 'l', 'm']
  const union = (tag: string) => ({
    oneOf: Array.from({ length: count }, (_, index) => ({
      ...object({ [tag]: { const: index }, [`${tag}${index}`]: {}, secret: { writeOnly: true } }, { required: [tag] })
    }))
  })
  const { app, send } = await echo(t, object({ of: { type: 'object', allOf: tags.map(union) } }))
  const record = (index: number) => {
    const chosen = tags.map((tag, at) => [tag, Math.floor(index / count ** at) % count] as const)
    return Object.fromEntries(
      chosen.flatMap(([tag, at]) => [
        [tag, at],
        [`${tag}${at}`, 's']
      ])
    )
  }
  const combinations = Array.from({ length: count ** tags.length }, (_, index) => ({ of: record(index) }))
  const secret = combinations.map(({ of }) => ({ of: { ...of, secret: 's' } }))
  const response = await app.inject({ method: 'POST', url: '/things', payload: secret.slice(0, 1000) })
  t.strictSame(response.json(), combinations.slice(0, 1000))
  for (const index of [1000, 1200, 1330])
    t.strictSame(await send({ method: 'POST', payload: secret[index] }), [201, combinations[index]])
})

t.test('unions within unions, more than are told apart: what one of them hides does not leave', async (t) => {
  const choice = (names: string[], inner: (name: string) => object) => ({
    anyOf: names.map((name) => object({ [name]: {}, of: inner(name) }))
  })
  const names = ['a', 'b', 'c', 'd', 'e']
  const secret = { type: 'string', writeOnly: true }
  const leaf = (name: string) => object({ [name]: {}, ...(name === 'e' && { secret }) })
  const schema = object({ of: { anyOf: [{ allOf: [choice(names, leaf), choice(names, leaf)] }, object({ x: {} })] } })
  const { post } = await echo(t, schema)
  t.strictSame(await post({ of: { of: { a: 1, secret: 's' } } }), [201, { of: { of: { a: 1 } } }])
})
