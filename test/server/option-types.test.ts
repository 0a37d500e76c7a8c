import { type } from 'arktype'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import { Type } from 'typebox'
import { z } from 'zod'

// What is of another type is refused at the start, in our words: not by V8, and not when a request comes.

const service = { find: async () => [] }
const others = { null: null, number: 5, text: 'text', true: true }
// The names that stand in these are not those of options: all would be ignored.
const containers = {
  promise: Promise.resolve({ find: () => 1 }),
  map: new Map([['find', () => 1]]),
  set: new Set(['a'])
}
const all: Record<string, unknown> = { ...others, ...containers, list: ['a', 5], object: {}, function: () => 1 }
const names = (...of: string[]) => Object.entries(all).filter(([name]) => !of.includes(name))

async function create() {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  return app
}

t.test('a path', async (t) => {
  const app = await create()
  const needs = /^app\.service\(\) needs the path of a service, as in app\.service\('messages'\), got /
  for (const [name, path] of [...names('text'), ['undefined', undefined], ['symbol', Symbol('x')]] as const) {
    t.throws(() => app.service(path as never), { name: 'TypeError', message: needs }, name)
    t.throws(() => app.service(path as never, service), { name: 'TypeError', message: needs }, name)
  }
  class Messages {}
  t.throws(() => app.service(new Messages() as never), { message: /got an object$/ })
})

t.test('the options of a service', async (t) => {
  const app = await create()
  for (const [name, options] of names('object'))
    t.throws(
      () => app.service('things', service, options as never),
      { name: 'TypeError', message: /^The options of the service 'things' must be an object, got / },
      name
    )
})

const fitting: Record<string, string[]> = {
  methods: [],
  events: [],
  routes: ['object'],
  hooks: ['object', 'list', 'function'],
  formatter: ['function'],
  schema: ['object'],
  config: ['object', 'list']
}

for (const [option, fits] of Object.entries(fitting))
  t.test(`the option \`${option}\` of a service`, async (t) => {
    const app = await create()
    for (const [name, value] of names(...fits)) {
      const message = new RegExp(`^The option \`${option}\` of the service 'things' must be .+, got `)
      t.throws(() => app.service('things', service, { [option]: value }), { name: 'TypeError', message }, name)
    }
    app.service('things', service, { [option]: undefined })
    t.equal((await app.inject('/things')).statusCode, 200, 'undefined is as if it were not there')
  })

t.test('the schema of a method, and of its answers', async (t) => {
  const app = await create()
  const told = (schema: unknown) => {
    try {
      return String(app.service('things', service, { schema: { find: schema as never } }).hooks)
    } catch (error) {
      return Object(error).message
    }
  }
  const must = (place: string, what: string) =>
    new RegExp(`^The option \`${place}\` of the service 'things' must be ${what}, got `)
  for (const [name, value] of names('object')) t.match(told(value), must('schema.find', 'an object'), name)
  for (const [name, value] of names('object', 'function'))
    t.match(told({ response: value }), must('schema.find.response', 'a schema'), name)
  app.service('things', service, { schema: { find: { response: { type: 'object' } } } })
  t.equal((await app.inject('/things')).statusCode, 200)
})

t.test('the schema of a record, which belongs into `resource()`', async (t) => {
  const app = await create()
  const { $ref, ...shared } = { $ref: 'thing#', type: 'object' }
  const schemas = {
    'of zod': z.object({ text: z.string() }),
    'of TypeBox': Type.Object({ text: Type.String() }),
    'a union of TypeBox': Type.Union([Type.Object({}), Type.Null()]),
    'of ArkType': type({ text: 'string' }),
    'a reference': { $ref },
    'a list of types': { type: [shared.type, 'null'] },
    'fields without a type': { properties: { text: { type: 'string' } } },
    'a list of fields that are required': { properties: { text: {} }, required: ['text'] },
    'no other fields': { additionalProperties: false },
    'a field with the name of a keyword': { properties: { type: { type: 'string' } } },
    'a part of a schema alone': { not: { properties: {} } }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    t.throws(
      () => app.service('things', service, { schema: schema as never }),
      {
        name: 'TypeError',
        message:
          "The option `schema` of the service 'things' must have the schemas of each method, got that of a record: wrap it in resource(), as in { schema: resource(schema) }"
      },
      name
    )
    t.throws(
      () => app.service('things', service, { schema: { find: schema as never } }),
      {
        name: 'TypeError',
        message:
          "The option `schema.find` of the service 'things' must have the parts of a request, as in { body: schema }"
      },
      name
    )
  }
  const named = { type: async () => [], properties: async () => [] }
  const body = { type: 'object', properties: {} }
  app.service('without', service, { schema: { find: undefined } as object })
  app.service('named', named, {
    methods: ['type', 'properties'],
    schema: { type: { body }, properties: { body, description: 'words' } }
  })
})

const ofPlugin: Record<string, string[]> = {
  query: ['object', 'function'],
  formatter: ['function'],
  hooks: ['object', 'list', 'function']
}

t.test('the options of the plugin, of `resource()` and of its methods', async (t) => {
  const schema = { type: 'object', properties: { text: { type: 'string' } } } as const
  const must = (who: string) => ({ name: 'TypeError', message: `The options of ${who} must be an object, got ` })
  for (const [name, value] of Object.entries(containers)) {
    await t.rejects(async () => Fastify().register(services, value as never), must('fastify-services'), name)
    t.throws(() => resource(schema, value as never), must('resource()'), name)
    t.throws(
      () => resource(schema, { methods: { publish: value as never } }),
      must("the method 'publish' of resource()"),
      name
    )
  }
})

for (const [option, fits] of Object.entries(ofPlugin))
  t.test(`the option \`${option}\` of the plugin`, async (t) => {
    for (const [name, value] of names(...fits)) {
      const message = new RegExp(`^The option \`${option}\` of fastify-services must be .+, got `)
      await t.rejects(
        async () => Fastify().register(services, { [option]: value }),
        { name: 'TypeError', message },
        name
      )
    }
  })

t.test('the options of the query parser', async (t) => {
  const start = async (query: object) => void (await Fastify().register(services, { query }))
  await t.rejects(
    start({ depht: 3 }),
    /^Fastify-services has no option 'query\.depht'.* Did you mean 'query\.depth'\?$/i
  )
  const limits = ['depth', 'arrayLimit', 'parameterLimit']
  for (const name of limits)
    for (const value of ['3', -1, Number.NaN, null, true])
      await t.rejects(start({ [name]: value }), {
        message: new RegExp(`^The option \`query.${name}\` of .* must be a number from 0`)
      })
  for (const name of ['allowDots', 'comma', 'allowEmptyArrays', 'strictNullHandling'])
    await t.rejects(start({ [name]: 'yes' }), { message: /must be true or false, got a string$/ })
  const ofQs = {
    duplicates: 'first',
    charset: 'utf-8',
    delimiter: ';',
    depth: 0,
    parameterLimit: Number.POSITIVE_INFINITY
  }
  await t.resolves(start(ofQs))
  await t.rejects(start({ charset: 'latin1' }), {
    message: /^The parser of queries can't use the option `query` of fastify-services: .*charset/
  })
})
