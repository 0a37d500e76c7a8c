import type { FastifyInstance } from 'fastify'
import type { Params } from 'fastify-services'
import { called } from './control.js'

const six = ['find', 'get', 'create', 'update', 'patch', 'remove']

/** A service that tells of each call it gets, and answers with what it was called with. */
function recorder(names: readonly string[]) {
  const record =
    (method: string) =>
    async (...args: unknown[]) => {
      const { query, route } = args.at(-1) as Params
      called(method, args[0])
      return { method, args: args.slice(0, -1), query, route }
    }
  return Object.fromEntries(names.map((name) => [name, record(name)]))
}

const anything = { type: 'object', properties: { id: { type: 'number' } } }

export async function registerThings(app: FastifyInstance): Promise<void> {
  const methods = [...six, 'archive']
  app.service('things', recorder([...methods, 'own', '_find', 'setup', 'emit']), { methods })
  app.service('checked', recorder(methods), {
    methods,
    schema: Object.fromEntries(
      ['create', 'update', 'patch', 'archive'].map((name) => [name, { body: anything, response: { 200: anything } }])
    )
  })
  app.service('supplied', recorder(six), {
    before: async (request) => {
      request.body = [{ id: 1 }, null]
    }
  })
  app.service('rooms/:query/:provider/seats', recorder(six))
  const records = new Map<unknown, unknown>()
  app.service('records', {
    create: async (record: unknown) => record,
    get: async (id: string) => records.get(id),
    find: async () => [...records.values()],
    async update(id: string, record: unknown) {
      records.set(id, record)
      return record
    },
    remove: async (id: string) => records.delete(id)
  })
}
