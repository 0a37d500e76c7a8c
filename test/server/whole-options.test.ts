import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

// All that a registration refuses, or warns of, to the last word.

const told = (error: unknown) => `${Object(error).name}: ${Object(error).message}`
const answer = async () => ({})
const answerNone = async () => []
class Things {}
const Static = Object.assign(class Static {}, { find: answer })
const values = {
  ...{ undefined, null: null, true: true, false: false, empty: '', text: 'text', 0: 0, 1: 1, list: [], lists: [[]] },
  ...{
    object: {},
    function: Boolean,
    class: Things,
    'class without a name': [class {}][0],
    bigint: 1n,
    symbol: Symbol('x')
  }
}

async function register(options: unknown, server: FastifyServerOptions = {}) {
  const lines: unknown[] = []
  const stream = { write: (line: string) => void lines.push(`${JSON.parse(line).level} ${JSON.parse(line).msg}`) }
  const app = Fastify({ logger: { level: 'debug', stream }, ...server })
  const ended = (error?: unknown) => void lines.push(error === undefined ? 'fine' : told(error))
  await app.register(services, options as object).then(() => ended(), ended)
  return { app, lines }
}

const html = { html: false }
const ofPlugin: Record<string, object> = {
  none: {},
  all: { query: {}, formatter: Boolean, hooks: {}, notFound: { ...html, verbose: true }, errorHandler: html },
  'of every plugin': { prefix: '', logLevel: 'error', logSerializers: undefined },
  'of every plugin, and a wrong one': { logSerializers: {}, prefixes: 1, prefix: '/v1', queries: 2 },
  'two that are wrong in themselves': { errorHandler: 1, notFound: 1 },
  'names before values': { errorHandler: 1, hook: 1 },
  'values before names within': { notFound: 1, errorHandler: { x: 1 } },
  'names within': { notFound: { x: 1 }, errorHandler: { y: 1 } },
  'hooks of the set-up': { hooks: { before: { setup: [Boolean] } } },
  'hooks of the tear-down': { hooks: { around: { find: Boolean, teardown: Boolean } } },
  'hooks of another name': { hooks: { before: { publish: Boolean, SETUP: Boolean } } },
  'hooks that are no functions': { hooks: { after: { find: [Boolean, 'log'] } } },
  'hooks of an unknown type': { hooks: { before: [], during: [] } },
  'hooks by a list': { hooks: [Boolean] }
}
const misspelt = `querry QUERY quer query1 query12 query123 yreuq formater Formatter ook ks hookss notfound not-found
  not_Found_ errorhandler errorHandlers error q multi __proto on`
const within = 'htm HTML xhtml log loger expose1 exposed requestID request verbos verbose'
const words = (text: string) => ['', ...text.split(/\s+/)]
for (const name of words(misspelt)) ofPlugin[`name ${name}`] = { [name]: 1 }
for (const option of ['errorHandler', 'notFound']) {
  for (const name of words(within)) ofPlugin[`name ${option}.${name}`] = { [option]: { [name]: false } }
  for (const [kind, value] of Object.entries(values)) ofPlugin[`${option}: ${kind}`] = { [option]: value }
}

t.test('options of the plugin', async (t) => {
  const rows: Record<string, unknown> = { itself: Reflect.get(services, Symbol.for('plugin-meta')) }
  for (const [name, options] of Object.entries(ofPlugin)) rows[name] = (await register(options)).lines
  isKept(t, rows, 'test/server/whole-options-plugin.txt')
})

const record = { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } } }
const all = { find: answer, get: answer, create: answer, publish: answer, setup: answer }
const six = resource(record)
const ofService: Record<string, readonly [object: unknown, options?: unknown]> = {
  'no method': [{}],
  'a method that is none': [{ find: 1, get: null }],
  'no method, and an empty list': [{}, { methods: [] }],
  'a method, and an empty list': [{ find: answer }, { methods: [] }],
  'a custom method alone, and an empty list': [{ publish: answer }, { methods: [] }],
  'a custom method alone, named': [{ publish: answer }, { methods: ['publish'] }],
  'a method that is missing': [{ find: answer }, { methods: ['find', 'get', 'create'] }],
  'a name of another kind': [{ find: answer }, { methods: [1, null] }],
  'options in order': [{ find: answer }, { hook: 1, methods: ['get'] }],
  'methods before routes': [{ find: answer }, { methods: ['get'], routes: { find: '' } }],
  'routes before schemas': [{ find: answer }, { routes: { find: '' }, schema: { get: {} } }],
  'schemas before names': [
    { find: answer, emit: answer },
    { methods: ['emit'], schema: { get: {} } }
  ],
  'names before hooks': [
    { find: answer, emit: answer },
    { methods: ['emit'], hooks: { during: [], before: [] } }
  ],
  'hooks of an unknown type': [all, { hooks: { during: [], before: [] } }],
  'hooks of an unknown method': [all, { hooks: { before: { serach: Boolean } } }],
  'hooks that are no functions': [all, { hooks: { before: { all: [Boolean, 1] } } }],
  'hooks of a set-up': [all, { hooks: { before: { setup: Boolean } } }],
  'hooks of a method that is not there': [all, { hooks: { before: { remove: Boolean } } }],
  'a schema of no method': [{ find: answer, get: answer }, { schema: { find: {}, fnid: {}, gte: {} } }],
  'a schema of a method that is not exposed': [all, { methods: ['get', 'find'], schema: { create: {} } }],
  'schemas of a resource': [{ find: answerNone }, { schema: six }],
  'schemas of a resource, and one of no method': [{ find: answer }, { schema: { ...six, fnid: {} } }],
  'schemas of a resource under another name': [{ find: answerNone }, { schema: { fnid: six.find } }],
  'a class that has methods': [Static, { methods: ['find'] }],
  'a class that has methods, unnamed': [Static],
  'before of another kind': [all, { before: 'text' }],
  'the second before': [all, { before: [Boolean, [Boolean], {}] }],
  'no before and no after': [all, { before: null, after: null }],
  'after of another kind': [all, { after: 1n }],
  'the second after': [all, { after: [Boolean, null] }],
  'before comes before after': [all, { after: 1, before: '' }],
  'a limit of another kind': [all, { bodyLimit: 'a' }],
  'a limit of 0': [all, { bodyLimit: 0 }],
  'a time of another kind': [all, { handlerTimeout: -1 }]
}
const members = `setup teardown then all before after error around on once off emit hooks addListener removeListener
  removeAllListeners listeners listenerCount constructor __proto__ toString`
const options = `method Methods route event hook befor afte formater Schema schemas confi bodylimit bodyLimits
  handlertimeout handlerTimeout12 handlerTimeout123 timeout multi id paginate prefix`
for (const [kind, value] of Object.entries(values)) ofService[`object: ${kind}`] = [value]
for (const kind of ['null', 'text', 'object', 'class', 'class without a name'] as const)
  ofService[`object: ${kind}, with methods`] = [values[kind], { methods: ['find', 'get'] }]
for (const name of words(members))
  ofService[`name ${name}`] = [
    Object.fromEntries([...Object.entries({ find: answer }), [name, answer]]),
    { methods: [name] }
  ]
for (const name of words(options)) ofService[`option ${name}`] = [all, { [name]: 1 }]

t.test('objects and options of a service', async (t) => {
  const rows: Record<string, unknown> = {}
  let { app } = await register({})
  for (const [name, [object, options]] of Object.entries(ofService))
    try {
      app.service('in/:room', object as object, options as object)
      // What was refused has left nothing behind.
      rows[name] = await app.inject('/in/1').then(({ statusCode }) => statusCode, told)
      app = (await register({})).app
    } catch (error) {
      rows[name] = told(error)
    }
  isKept(t, rows, 'test/server/whole-options-service.txt')
})
