import type { HookContext as FeathersContext, NextFunction } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import { Ajv, resolve, hooks as schemaHooks, virtual } from '@feathersjs/schema'
import { getValidator, querySyntax, type Static, Type } from '@feathersjs/typebox'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import { alterItems, discard, iff, isProvider, keep, preventChanges, setNow } from 'feathers-hooks-common'
import t, { type Test } from 'tap'

// Hooks of the packages of Feathers, without a cast: that they compile is half of the test.

const schema = Type.Object({ id: Type.Number(), text: Type.String() }, { $id: 'Note', additionalProperties: false })
type Note = Static<typeof schema> & { by?: string; secret?: string; at?: Date }
const data = Type.Pick(schema, ['text'], { $id: 'NoteData', additionalProperties: false })
const query = Type.Intersect([querySyntax(Type.Pick(schema, ['id', 'text']))], { additionalProperties: false })

const notes = () => memory<Note>({ startId: 1, multi: true })
type Notes = ReturnType<typeof notes>

const plain = async (context: FeathersContext) => {
  context.data = { ...context.data, secret: context.method }
}
const around = async (context: FeathersContext, next: NextFunction) => {
  await next()
  context.http = { headers: { 'x-path': context.path } }
}
const onData = resolve<Note, HookContext<Notes>>({ text: async (text) => text?.trim() })
const onResult = resolve<Note, HookContext<Notes>>({ by: virtual(async (_note, { path }) => path) })
const external = resolve<Note, HookContext<Notes>>({ secret: async () => undefined })
const onQuery = resolve<{ text?: string }, HookContext<Notes>>({ text: async (text) => text?.toLowerCase() })

async function create(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [around] } }, errorHandler: { html: false } })
  await app.register(authentication, {
    secret: 's'.repeat(32),
    entity: null,
    strategies: { jwt: true, key: { authenticate: async () => ({ authentication: { payload: { sub: '1' } } }) } }
  })
  app.service('notes', notes(), {
    hooks: {
      around: {
        remove: [authenticate('jwt')],
        all: [schemaHooks.resolveExternal(external), schemaHooks.resolveResult(onResult)],
        patch: [schemaHooks.resolveAll({ data: { create: onData, patch: onData, update: onData } })]
      },
      before: {
        all: [
          schemaHooks.validateQuery(getValidator(query, new Ajv({ coerceTypes: true }))),
          schemaHooks.resolveQuery(onQuery)
        ],
        create: [
          schemaHooks.validateData(getValidator(data, new Ajv())),
          schemaHooks.resolveData(onData),
          plain,
          iff(isProvider('external'), setNow('at')).else(discard('text')),
          ({ data }) => void (Array.isArray(data) || data.text?.length)
        ],
        patch: [preventChanges(true, 'id')]
      },
      after: {
        all: [alterItems((note: Note) => ({ ...note, seen: true }))],
        find: [keep('id', 'text', 'seen')]
      }
    }
  })
  return app
}

t.test('hooks of @feathersjs/schema and feathers-hooks-common run as they stand, beside ours', async (t) => {
  const app = await create(t)
  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
    const { statusCode, headers, body } = await app.inject({ method, url, ...(payload && { payload }) })
    t.equal(headers['x-path'], statusCode < 400 ? 'notes' : undefined)
    return [statusCode, JSON.parse(body)] as const
  }
  const [status, note] = await call('POST', '/notes', { text: ' hi ' })
  t.match([status, note], [201, { id: 1, text: 'hi', by: 'notes', seen: true, at: String }])
  t.equal(note.secret, undefined)
  t.match(await call('POST', '/notes', { txt: 'hi' }), [400, { message: 'validation failed' }])
  t.match(await call('GET', '/notes?nobody=1'), [400, { message: 'validation failed' }])
  t.match(await call('GET', '/notes?text=HI&id=1'), [200, [{ id: 1, text: 'hi', seen: true }]])
  t.match(await call('GET', '/notes?text=ho'), [200, []])
  t.match(await call('PATCH', '/notes/1', { text: ' ho ' }), [200, { id: 1, text: 'ho' }])
  t.match(await call('PATCH', '/notes/1', { id: 2 }), [400, { message: /Field id may not be patched/ }])
  t.match(await call('DELETE', '/notes/1'), [401, {}])
  const created = await app.service<Notes>('notes').create({ text: 'a' })
  t.match(created, { id: 2, text: undefined, secret: 'create' }, 'a call of the server has no provider')
})
