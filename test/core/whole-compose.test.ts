import t from 'tap'
import { type CallObserver, compose } from '../../lib/core/compose.js'
import { contextOf } from '../../lib/core/context.js'
import { HookStore } from '../../lib/core/hooks.js'
import { checkArguments } from '../../lib/core/methods.js'
import { factsOf } from '../../lib/core/object-facts.js'
import { createForeign, createService } from '../../lib/core/service.js'
import type { AroundHook, HookContext } from '../../types/hooks.js'
import { settled } from '../support/core.js'
import { isKept } from '../support/kept.js'
import { outcomeOf, settledOf, told } from './told.js'

const error = (message: string) => new Error(message)
const fail = async () => {
  throw error('of the hook')
}
const pass: AroundHook = (_, next) => next()
const idle: AroundHook = () => undefined

const hooks: Record<string, AroundHook[]> = {
  none: [],
  'one that passes': [pass],
  'one that awaits nothing': [(_, next) => void next()],
  'one that gives a value': [(_, next) => next().then(() => 'a value')],
  'next twice': [
    async function twice(_, next) {
      await next()
      await next()
    }
  ],
  'next twice at once': [(_, next) => Promise.all([next(), next()])],
  'next twice, without a name': [
    (() => async (_: unknown, next: () => Promise<void>) => {
      await next()
      await next()
    })()
  ],
  'next twice, caught': [
    async (_, next) => {
      await next()
      await next().catch(() => undefined)
    }
  ],
  'no next': [idle],
  'no next, inside': [pass, idle, pass],
  'no next, with a result': [(context) => void Object.assign(context, { result: 'own' })],
  'no next, with null': [(context) => void Object.assign(context, { result: null })],
  'a result before next': [
    (context, next) => {
      context.result = 'early' as never
      return next()
    }
  ],
  'a result after next that is not awaited': [
    (context, next) => {
      void next()
      context.result = 'own' as never
    }
  ],
  'the result is taken': [
    async (context, next) => {
      await next()
      context.result = undefined as never
    }
  ],
  'one that fails': [fail],
  'one that fails at once': [
    () => {
      throw error('at once')
    }
  ],
  'one that fails after next': [
    async (_, next) => {
      await next()
      throw error('after')
    }
  ],
  'one that fails while next runs': [
    (_, next) => {
      void next()
      throw error('meanwhile')
    }
  ],
  'one that fails, inside of one that catches': [
    async (context, next) => next().catch(() => void Object.assign(context, { result: 'caught' })),
    fail
  ],
  'one that fails, inside of one that catches alone': [async (_, next) => next().catch(() => undefined), fail],
  'two that pass': [pass, pass]
}

const calls: Record<string, (context: HookContext) => Promise<void>> = {
  gives: async (context) => {
    context.result ??= 'of the call' as never
  },
  'gives nothing': async () => undefined,
  fails: async () => {
    await settled()
    throw error('of the call')
  },
  'takes its time': async (context) => {
    await settled()
    context.result ??= 'late' as never
  }
}

t.test('hooks around a call: what comes of it, and what an observer is told', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const [name, list] of Object.entries(hooks)) {
    const rows = await Promise.all(
      Object.entries(calls).map(async ([kind, call]) => {
        const seen: string[] = []
        const observer = {
          see: ({ result }: HookContext) => void seen.push(`saw ${told(result)}`),
          fail: (_: HookContext, error: unknown) => void seen.push(`failed with ${told(error)}`)
        }
        const context = { path: 'a/b', method: 'get', service: 'the service' } as unknown as HookContext
        const outcome = await settledOf(compose(list, call, observer)(context))
        const result = told(context.result)
        return [kind, [outcome, result, seen.join(', ')]]
      })
    )
    kept[name] = Object.fromEntries(rows)
  }
  isKept(t, kept, 'test/core/whole-compose.txt')
})

/** An observer that tells of everything it is asked. */
function createObserver(seen: unknown[]): CallObserver {
  const see = (name: string, ...more: unknown[]) => void seen.push([name, ...more].join(' '))
  return {
    trace: (run) => async (context) => {
      see('traced', context.method)
      await run(context)
    },
    arrange: (list) => list.toReversed(),
    app: (app) => `for ${app}`,
    lend: (_, params) => see('lent', JSON.stringify(params)),
    check: checkArguments,
    wrap: (invoke) => (context) => {
      see('began', context.id)
      if (context.id === 'refused') throw error('of the observer')
      return invoke(context)
    },
    end: async (running, context) => {
      const hasFailed = await running.then(
        () => false,
        () => true
      )
      see('ended', hasFailed, JSON.stringify(context.result))
      return running
    },
    see: ({ result }) => see('saw', JSON.stringify(result)),
    fail: (_, error) => see('failed', error)
  }
}

/** What a service of ours, and one that stands for another, does with an observer. */
async function observe(id: string, given: { isForeign?: boolean; hooks?: object; common?: object; listens?: boolean }) {
  const seen: unknown[] = []
  const get = async (id: string) => {
    if (id === 'failing') throw error('of the method')
    return id === 'empty' ? undefined : { id }
  }
  const common = new HookStore()
  common.add((given.common ?? {}) as never)
  const base = { app: 'the app', path: 'a/b', common, onListenerError: () => undefined, observer: createObserver(seen) }
  const { isForeign = false, hooks = {} } = given
  const object = { get, archive: get }
  const foreign = {
    service: { name: 'theirs' },
    origin: 'theirs',
    intercept: () => {},
    application: (app: unknown) => `theirs for ${app}`,
    call: async (context: HookContext, notify: (context: HookContext) => void) => {
      context.result = { first: 1 } as never
      notify(context)
      context.result = (await get(context.id as never)) as never
    }
  }
  const methods = ['get', 'archive']
  const entry = isForeign
    ? createForeign(object, foreign, { ...base, methods })
    : createService(object, { ...base, hooks, methods })
  const method = entry.methods.get('get')
  const context = method?.context([id]) as HookContext
  const { app, path, service, event, params } = context
  const outcome = isForeign
    ? await settledOf(method?.run(context) as Promise<void>)
    : await settledOf((entry.service as unknown as typeof object).get(id))
  entry.compose()
  const rest = [
    app,
    path,
    isForeign ? told(service) : service === entry.service,
    event,
    params,
    [...entry.methods.keys()],
    entry.hooks.added.length
  ]
  return [outcome, isForeign ? told(context.result) : 'as given', seen, rest.map((one) => told(one))]
}
const early = { before: { get: [() => ({ result: 'early' })] } }
const both = {
  around: { all: [pass, pass] },
  before: { get: [() => ({ dispatch: 1 })] },
  after: { all: [() => undefined, () => ({ result: 'after' })] }
}
const recovering = { error: { all: [() => undefined, () => ({ result: 'recovered' })] } }

t.test('what an observer is told of calls of services', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const isForeign of [false, true])
    for (const [name, list] of Object.entries({
      'no hooks': {},
      early,
      both,
      recovering,
      failing: { before: { all: fail } }
    }))
      for (const id of ['1', 'failing', 'empty', 'refused'])
        kept[`${isForeign ? 'foreign' : 'ours'}, ${name}, ${id}`] = await observe(id, {
          isForeign,
          ...(isForeign ? { common: list } : { hooks: list })
        })
  const object = {}
  const before = factsOf(object).foreign
  factsOf(object).foreign = { origin: 'theirs' } as never
  kept.foreign = [before, factsOf(object).foreign].map((one) => told(one))
  kept.refused = await settledOf(observe(undefined as never, {}))
  kept['refused by theirs'] = await settledOf(observe(undefined as never, { isForeign: true }))
  isKept(t, kept, 'test/core/whole-compose-observed.txt')
})

t.test('contexts by themselves', (t) => {
  const given: unknown[] = []
  const shared = { app: 'the app', service: { name: 'the service' } as never, path: 'a', method: 'patch' }
  const names = ['id', 'data', 'params'] as const
  const create = contextOf(shared, names, 'patched', {
    check: () => undefined,
    lend: (context, params) => void given.push([context.method, told(params)])
  })
  const args: unknown[] = ['1', { a: 1 }, null, 'more']
  const context = create(args)
  const bare = contextOf({ ...shared, method: 'find' }, ['params'], null, {
    check: () => undefined,
    lend: () => undefined
  })([])
  const json = [JSON.stringify(context), JSON.stringify(bare)]
  Object.assign(context, { params: { b: 2 }, id: 2, added: 3, result: null, dispatch: undefined, statusCode: 201 })
  const kept = {
    json,
    later: JSON.stringify(context),
    given,
    args: told(args),
    names: Object.keys(context),
    all: (() => {
      const found: string[] = []
      for (const name in context) found.push(name)
      return found
    })(),
    same: args === context.arguments,
    readonly: ['path', 'method', 'app', 'service'].map((name) => Reflect.set(context, name, 'other')),
    frozen: Object.isFrozen(shared),
    status: [
      context.statusCode,
      outcomeOf(() => {
        Object.assign(context, { statusCode: undefined })
        return context.http
      }),
      outcomeOf(() => {
        Object.assign(context, { http: null })
        return context.statusCode
      }),
      outcomeOf(() => {
        context.statusCode = 202
        return context.http
      })
    ]
  }
  isKept(t, kept, 'test/core/whole-compose-contexts.txt')
  t.end()
})
