import { feathers } from '@feathersjs/feathers'
import Fastify, { type FastifyInstance } from 'fastify'
import services, { type HookContext } from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t from 'tap'
import { serviceHostOf } from '../../lib/core/host.js'
import { isKept } from '../support/kept.js'

// Services by their paths, their set-up and tear-down, and what hooks of all services see.

const says = (error: unknown): string => {
  const { name, message, cause, errors } = Object(error)
  const causes = [cause ?? [], errors ?? []].flat().map(says)
  return [`${name}: ${message}`, ...causes].join(' < ')
}
const attempt = async (call: () => unknown) => {
  try {
    return await call()
  } catch (error) {
    return says(error)
  }
}

async function create() {
  const app = Fastify()
  await app.register(services)
  const log: unknown[] = []
  const kindOf = (server: unknown) => (server === app.server ? 'its server' : String(server))
  /** A service whose set-up and tear-down are written down, and fail where it says so. */
  const service = (name: string, fails = '') => {
    const note = (...line: unknown[]) => {
      log.push([name, ...line])
      if (fails.includes(line[0] as string)) throw new Error(`${name} fails`)
    }
    return {
      find: async () => name,
      setup: async (on: FastifyInstance, path: string, server: unknown) =>
        note('setup', on.prefix, path, kindOf(server)),
      teardown: async (on: FastifyInstance, path: string) => note('teardown', on.prefix, path)
    }
  }
  return { app, log, service }
}
type Host = Awaited<ReturnType<typeof create>>
const inside = (app: FastifyInstance, prefix: string, add: (child: FastifyInstance) => unknown) =>
  app.register(async (child) => void add(child), { prefix })

const rows: Record<string, (host: Host) => unknown> = {
  'one after the other, and back': async ({ app, service }) => {
    app.service('/a/', service('a'))
    app.service('none', { find: service('none').find })
    await inside(app, '/v1', (child) => child.service('b', service('b')))
    await inside(app, '/v2/', (child) => child.service('', service('c')))
    await app.ready()
    return app.close()
  },
  'a set-up that fails': async ({ app, service }) => {
    for (const name of ['a', 'b', 'c']) app.service(name, service(name, name === 'b' ? 'setup' : ''))
    return app.ready()
  },
  'a tear-down that fails': async ({ app, service }) => {
    for (const name of ['a', 'b', 'c']) app.service(name, service(name, name === 'b' ? 'teardown' : ''))
    return app.close()
  },
  'two that fail': async ({ app, service }) => {
    for (const name of ['a', 'b', 'c']) app.service(name, service(name, name === 'b' ? '' : 'teardown'))
    return app.close()
  },
  'a server of its own': async ({ app, service }) => {
    app.service('a', service('a'))
    await app.setup('server')
    return app.setup('another')
  },
  'no server of its own': async ({ app, service }) => {
    app.service('a', service('a'))
    await app.setup()
    return app.setup()
  },
  'a set-up behind the start': async ({ app }) => {
    await app.ready()
    return app.setup('server')
  },
  'a path twice': ({ app, service }) => {
    app.service('a/b', service('first'))
    return app.service('/a/b/', service('second'))
  },
  'the root twice': ({ app, service }) => {
    app.service('', service('first'))
    return app.service('/', service('second'))
  },
  'a path twice, before it is too late': async ({ app, service }) => {
    app.service('a', service('first'))
    await app.ready()
    return app.service('a', service('second'))
  },
  'too late': async ({ app, service }) => {
    await app.ready()
    return app.service('/late/', service('late'))
  },
  'in a set-up': async ({ app, service }) => {
    app.service('a', { ...service('a'), setup: async () => void app.service('late', service('late')) })
    return app.ready()
  },
  'a path of a Feathers application': async ({ app, service }) => {
    const application = feathers()
    application.use('theirs', { find: service('theirs').find })
    await app.register(mounted, { app: application })
    return app.service('theirs', service('ours'))
  },
  'on the instance around a plugin with a prefix': ({ app, service }) => {
    inside(app, '/v1', () => app.service('things', service('things')))
    return app.ready()
  },
  'on the instance around, at the root': ({ app, service }) => {
    inside(app, '/v1/', () => app.service('/', service('root')))
    return app.ready()
  },
  'on the instance around a plugin without a prefix': ({ app, service }) => {
    inside(app, '', () => app.service('things', service('things')))
    return app
      .ready()
      .then(() => app.inject('/things'))
      .then(({ body }) => body)
  },
  'a look-up without a service': ({ app }) => app.service('none'),
  'a look-up among one': ({ app, service }) => {
    app.service('', service('root'))
    return app.service('/none/')
  },
  'a look-up among two': ({ app, service }) => {
    for (const name of ['a/b', 'c']) app.service(name, service(name))
    return app.service('none/of/them')
  },
  'look-ups': async ({ app, service }) => {
    for (const path of ['things', 'v1', 'v1/v1/things', 'other']) app.service(path, service(path))
    const found: unknown[] = []
    await inside(app, '/v1', async (child) => {
      for (const path of ['things', 'only']) child.service(path, service(`inner ${path}`))
      for (const path of ['things', '/things/', 'v1/things', 'other', '/other', '', '/', 'only', 'v1/only', 'v1'])
        found.push([path, await attempt(() => child.service<{ find(): unknown }>(path).find())])
    })
    for (const path of ['things', '/things//', 'v1', 'v1/only', 'only', 'things/x', 'Things'])
      found.push([path, await attempt(() => app.service<{ find(): unknown }>(path).find())])
    return found
  },
  'the plugin again': async ({ app }) => app.register(services),
  'the plugin again, inside': async ({ app }) => {
    app.register(async (child) => void (await child.register(services)))
    return app.ready()
  },
  'hooks of all services, added later': async ({ app, log, service }) => {
    const application = feathers()
    application.use('theirs', { find: async () => 'theirs' })
    await app.register(mounted, { app: application })
    app.service('ours', { find: service('ours').find, get: async () => 'one' })
    const host = serviceHostOf(app)
    host.onService.push(({ path, exposed, options }) => void log.push(['new', path, exposed, options]))
    app.service('last', service('last'), { config: { own: true } })
    const note = (word: string) => (context: HookContext) => void log.push([word, context.path, context.method])
    host.addHooks({ before: { find: note('before') }, after: [note('after') as never] } as never)
    for (const one of ['setup', 'teardown'])
      log.push(await attempt(() => host.addHooks({ before: { [one]: Boolean } } as never)))
    const answers = []
    for (const url of ['/ours', '/theirs', '/last', '/ours/1']) answers.push((await app.inject(url)).body)
    for (const isReady of [host.isReady]) log.push(['is ready', isReady, host.entries.map(({ path }) => path)])
    return answers
  }
}

t.test('registration, look-ups, set-up and tear-down', async (t) => {
  const answers: Record<string, unknown> = {}
  for (const [name, call] of Object.entries(rows)) {
    const host = await create()
    const answer = (await attempt(() => call(host))) ?? null
    answers[name] = [typeof answer === 'string' || Array.isArray(answer) ? answer : 'fine', ...host.log]
    await host.app.close().catch(says)
  }
  isKept(t, answers, 'test/server/whole-registry.txt')
})

t.test('hooks that ask the application for a setting', async (t) => {
  const { app } = await create()
  const get = async ({ app }: HookContext) => void app.get('secret')
  const add = async ({ app }: HookContext) => void app.addHook('onRequest', Boolean as never)
  const text = async () => Promise.reject(Object.assign(new Error('Cannot add route'), { code: 'OTHER' }))
  for (const [path, hook] of Object.entries({ 'a/get': get, add, text }))
    app.service(path, { find: Object, create: Object }, { hooks: { before: [hook] } as never })
  app.service('after', { find: async () => [] }, { hooks: { after: { find: [get] } } as never })
  app.service('around', { find: Object }, { hooks: { around: [get] } as never })
  const answers: unknown[] = []
  const paths = ['a/get', 'text', 'after', 'around']
  for (const path of paths) answers.push([path, await attempt(() => app.service<{ find(): unknown }>(path).find())])
  await app.ready()
  for (const path of [...paths, 'add'])
    answers.push([path, await attempt(() => app.service<{ find(): unknown }>(path).find())])
  const headers = { accept: 'application/json' }
  for (const path of paths) answers.push([path, (await app.inject({ url: `/${path}`, headers })).body])
  answers.push((await app.inject({ method: 'POST', url: '/a/get', headers, payload: {} })).body)
  isKept(t, answers, 'test/server/whole-registry-settings.txt')
  await app.close()
})
