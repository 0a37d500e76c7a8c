import adapterTests from '@feathersjs/adapter-tests'
import errors from '@feathersjs/errors'
import { feathers } from '@feathersjs/feathers'
import rest from '@feathersjs/rest-client'
import { runSuite } from './suite.js'

// All tests, also those that an adapter does not support: they count if they hold on Feathers.
const all = Object.assign([], { includes: () => true })

/**
 * Runs the suite for adapters over a service, inside of its application or through a client, and records each test.
 * @param t the checks of a side
 * @param create makes the adapter
 */
export async function checkAdapter(t, label, create, { isRemote = false } = {}) {
  const side = await t.create()
  side.use('people', await create(), { hooks: isRemote ? { before: { all: [toValues] } } : {} })
  const base = await side.listen()
  const app = isRemote ? remote(side, base) : side
  const { log } = console
  console.log = () => {}
  const results = await runSuite(() => adapterTests(all)(app, errors, 'people')).finally(() => {
    console.log = log
  })
  await side.close()
  const seen = new Map()
  for (const { name, error } of results) {
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    const title = `${label}: ${name}${times > 1 ? ` (${times})` : ''}`
    t.record(title, error === undefined, error === undefined || `${error.name}: ${error.message}`, error?.stack)
  }
}

/** The application as a client: the suite changes the options of the adapter, which are those of the server. */
function remote(side, base) {
  const client = feathers().configure(rest(base).fetch(fetch))
  return {
    service(path) {
      const { id, options, events } = side.service(path)
      return Object.assign(Object.create(client.service(path)), { id, options, events })
    }
  }
}

/** What schemas do for queries: their texts become numbers and booleans. */
function toValues(context) {
  const { id, params } = context
  if (typeof id === 'string' && /^\d+$/.test(id)) context.id = Number(id)
  const convert = (value) => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, convert(part)]))
    return /^(-?\d+|true|false)$/.test(value) ? JSON.parse(value) : value
  }
  if (params.provider) params.query = convert(params.query)
}
