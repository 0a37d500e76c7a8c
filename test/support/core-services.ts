import { BadRequest, type HookContext, type HookOptions, type NextFunction } from 'fastify-services'
import type { Test } from 'tap'
import { createApp } from './core.js'

export type Around = (context: HookContext, next: NextFunction) => unknown
export type Methods = Record<
  'find' | 'get' | 'create' | 'update' | 'patch' | 'remove' | 'archive',
  (...args: unknown[]) => Promise<unknown>
>

/** A hook that sets fields of the context. */
export const set = (changes: object) => (context: HookContext) => {
  Object.assign(context, changes)
}

/** A hook or a method that fails. */
export const fail = (error: unknown) => () => {
  throw error
}

/** A service whose `get` says that it was called, with around hooks. */
export async function createGet(t: Test, around: Around[], answer: () => unknown = () => ({ id: '1' })) {
  const calls: string[] = []
  const { app, logged } = await createApp(t)
  const service = app.service(
    'things',
    {
      async get(id: string) {
        calls.push(`get ${id}`)
        return answer()
      }
    },
    { hooks: { around: { get: around as [] } } }
  )
  return { calls, logged, app, get: () => service.get('1') }
}

/** An around hook that says when it began and ended. */
export const label =
  (name: string, calls: string[]): Around =>
  async (_context, next) => {
    calls.push(`${name} in`)
    await next()
    calls.push(`${name} out`)
  }

/** A service of which every call is watched by a hook. */
export async function createWatched(t: Test, hook: (context: HookContext) => unknown) {
  const echo = async (...args: unknown[]) => ({ args })
  const { app } = await createApp(t)
  const object = { find: echo, get: echo, create: echo, update: echo, patch: echo, remove: echo, archive: echo }
  const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive'] as const
  const service = app.service('/deep/things/', object, {
    methods,
    hooks: { before: { all: [(context) => hook(context as HookContext)] } }
  })
  return {
    app,
    service: service as unknown as Methods,
    call: (name: string, ...args: unknown[]) => (service as unknown as Methods)[name as keyof Methods](...args)
  }
}

export interface Emitting {
  hooks?: HookOptions
  events?: string[]
  property?: unknown
  result?: unknown
}

/** A service that answers the given result, and what it has emitted. */
export async function createEmitting(t: Test, { hooks = {}, events, property, result = { id: '1' } }: Emitting = {}) {
  const { app } = await createApp(t)
  const answer = async () => result
  const methods = {
    find: answer,
    get: answer,
    create: answer,
    update: answer,
    patch: answer,
    remove: answer,
    archive: answer
  }
  const object = { ...methods, ...(property === undefined ? {} : { events: property }) }
  const names = Object.keys(methods) as (keyof Methods)[]
  const service = app.service('things', object, { methods: names, hooks: hooks as object, ...(events && { events }) })
  const emitted: [event: string, record: unknown, context: HookContext][] = []
  for (const event of ['created', 'updated', 'patched', 'removed', 'archived']) {
    service.on(event, (record: unknown, context: HookContext) => emitted.push([event, record, context]))
  }
  const takeEvents = () => emitted.splice(0).map(([event, record]) => [event, record])
  return {
    service: service as unknown as Methods & Pick<typeof service, 'emit' | 'on'>,
    emitted,
    seen: takeEvents,
    app
  }
}

/** A service whose `get` fails for the id `broken`. */
export async function createBreakable(t: Test, hooks: HookOptions, common: HookOptions = {}) {
  const { app } = await createApp(t, { hooks: common })
  const service = {
    calls: 0,
    async get(id: string, params?: object) {
      service.calls += 1
      if (id === 'broken') throw new BadRequest('broken')
      return { id, ...params } as { id: string; query?: object; isSeen?: boolean }
    }
  }
  const registered = app.service('things', service)
  registered.hooks(hooks)
  return { service, registered, get: (id: string, params?: object): Promise<unknown> => registered.get(id, params) }
}
