import feathersExpress from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, cors, errorHandler, koa, parseAuthentication, rest, serveStatic } from '@feathersjs/koa'
import plugin from 'fastify-plugin'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, createWarnings, mirror, type Theirs } from '../support/mounted-app.js'

type Use = { use(...args: unknown[]): Use; configure(fn: unknown): Use }

/** An application as the CLI of Feathers makes it, on Koa. */
function createKoa(...more: unknown[]): Theirs {
  const app = koa(feathers()) as unknown as Use
  for (const middleware of [cors(), serveStatic('.'), errorHandler(), parseAuthentication(), bodyParser(), ...more])
    app.use(middleware)
  app.configure(rest())
  app.use('things', mirror)
  return app as unknown as Theirs
}

/** The same on Express. */
function createExpress(...more: unknown[]): Theirs {
  const { default: express, ...parts } = feathersExpress
  const app = express(feathers()) as unknown as Use
  const before = [parts.cors(), parts.compression(), parts.json(), parts.urlencoded({ extended: true })]
  for (const middleware of [...before, parts.serveStatic('.'), ...more]) app.use(middleware)
  app.configure(parts.rest())
  app.use('things', mirror)
  for (const middleware of [parts.notFound(), parts.errorHandler({ logger: false } as object)]) app.use(middleware)
  return app as unknown as Theirs
}

const deprecations: unknown[] = []
process.on('deprecation', (deprecation) => deprecations.push(deprecation))

const told = /has middleware that does not run on Fastify\. Use (.+) instead$/

for (const [name, create, plugins] of [
  ['Koa', createKoa, '@fastify/cors and @fastify/static'],
  ['Express', createExpress, '@fastify/cors and @fastify/compress and @fastify/static']
] as const) {
  t.test(`an application of the CLI on ${name} starts, and tells what to use for middleware of its own`, async (t) => {
    const { warnings, logger } = createWarnings()
    const again = name === 'Koa' ? bodyParser() : feathersExpress.json()
    const app = await createMounted(t, create(again), { server: { logger } })
    t.match(await request(app, 'GET', '/things?a=1'), { status: 200, body: { query: { a: '1' }, provider: 'rest' } })
    t.match(await request(app, 'POST', '/things', { payload: { a: 1 } }), { status: 201, body: { data: { a: 1 } } })
    t.same(
      warnings.map((line) => told.exec(line)?.[1]),
      [plugins]
    )
  })

  t.test(`what is registered already is not recommended, on ${name}`, async (t) => {
    const { warnings, logger } = createWarnings()
    const noted = (name: string) => plugin(async () => {}, { name })
    const app = await createMounted(t, create(), {
      server: { logger },
      // Before and after: only the start tells.
      after: (app) => app.register(noted('@fastify/static')).register(noted('@fastify/compress'))
    })
    await app.register(noted('@fastify/cors'))
    await app.ready()
    t.same(warnings, [])
  })

  t.test(`middleware of an application on ${name} stops the start: it may be what guards it`, async (t) => {
    const onlyAdmins = async (_first: unknown, next: () => Promise<void>) => next()
    const app = await createMounted(t, create(onlyAdmins, [() => 'a function without a name'].at(0)))
    await t.rejects(async () => app.ready(), {
      message:
        /middleware, which does not run on Fastify: onlyAdmins, number \d+ of app\..*name it in the option `ignoreMiddleware`$/
    })
  })

  t.test(`unless it is no concern any more, on ${name}`, async (t) => {
    const { warnings, logger } = createWarnings()
    const options = { ignoreMiddleware: true, server: { logger } }
    const app = await createMounted(
      t,
      create(async () => {}),
      options
    )
    t.equal((await request(app, 'GET', '/things')).status, 200)
    t.same(warnings, [])
  })
}

t.test('a guard of Express has the code of what reads credentials there, and is told apart', async (t) => {
  const app = await createMounted(t, createExpress(feathersExpress.authenticate('jwt')))
  await t.rejects(async () => app.ready(), {
    message: /middleware, which does not run on Fastify: number \d+ of app/
  })
})

t.test('so does middleware of a service', async (t) => {
  async function tag() {}
  for (const options of [{ koa: { before: [tag] } }, { koa: { after: [tag] } }, { express: { before: [tag] } }]) {
    const theirs: Theirs = feathers()
    theirs.use('things', mirror, options as object)
    const app = await createMounted(t, theirs)
    await t.rejects(async () => app.ready(), { message: /: tag of the service 'things'\. / })
  }
})

t.test('OAuth without the option `fallback`: its paths are told, and answer 404', async (t) => {
  // As in @feathersjs/authentication-oauth; a build may give the classes other names.
  const find = async () => 'never'
  const oauth = { grant: async () => {}, handler: find, find }
  const theirs: Theirs = feathers()
  theirs.use('oauth/:provider', oauth, { koa: { before: [() => {}] } } as object)
  theirs.use('oauth/:provider/callback', { service: oauth, find } as object)
  theirs.use('things', mirror)
  const { warnings, logger } = createWarnings()
  const app = await createMounted(t, theirs, { server: { logger } })
  for (const url of ['/oauth/github', '/oauth/github/callback'])
    t.equal((await request(app, 'GET', url)).status, 404, url)
  t.equal((await request(app, 'GET', '/things')).status, 200)
  t.same(warnings, [
    'OAuth of the Feathers application needs the option `fallback`: oauth/:provider, oauth/:provider/callback'
  ])
})

t.test('a service whose class has the name of one of OAuth is mounted', async (t) => {
  class OAuthService {
    service = 'mail'
    grant = 'all'
    handler = mirror.find
    find = mirror.find
  }
  const theirs: Theirs = feathers()
  theirs.use('things', new OAuthService())
  const app = await createMounted(t, theirs)
  t.equal((await request(app, 'GET', '/things')).status, 200)
})

// The last test: each place tells it once.
t.test('nothing is deprecated of what it takes from Express', async (t) => {
  t.same(deprecations, [])
})

const shown = { shown: true }
const formatters: Record<string, (formatter?: unknown) => Theirs> = {
  Koa(formatter) {
    const app = koa(feathers()) as unknown as Use
    app
      .use(errorHandler())
      .use(bodyParser())
      .configure(rest(formatter as never))
      .use('things', mirror)
    return app as unknown as Theirs
  },
  Express(formatter) {
    const { default: express, ...parts } = feathersExpress
    const app = express(feathers()) as unknown as Use
    app
      .use(parts.json())
      .configure(parts.rest(formatter as never))
      .use('things', mirror)
    return app as unknown as Theirs
  }
}
interface ExpressResponse {
  readonly data: unknown
  json(value: unknown): void
  format(types: object): void
}
/** Formatters that answer as the default one does, and do more. */
const curious: Record<string, (subject: object, response: ExpressResponse, next?: () => unknown) => unknown> = {
  'reads the request': (subject, response) => response.json(Object(subject).headers),
  'goes on': (_subject, response, next = response as never) => {
    response.format?.({ 'application/json': () => response.json(response.data) })
    return next()
  },
  'reads the request, whatever happens': (subject, response) => {
    try {
      void Object(subject).headers
    } catch {}
    response.format?.({ 'application/json': () => response.json(response.data) })
  }
}
const formatter = (subject: { body: unknown }, response: { json?(value: unknown): void }) =>
  response.json === undefined ? Object.assign(subject, { body: shown }) : response.json(shown)

const restOf: Record<string, (formatter: unknown) => unknown> = {
  Koa: (formatter) => rest(formatter as never),
  Express: (formatter) => feathersExpress.rest(formatter as never)
}

for (const [name, create] of Object.entries(formatters))
  t.test(`rest(formatter) may hide fields: it is refused or runs on ${name}`, async (t) => {
    const refused = await createMounted(t, create(formatter))
    await t.rejects(async () => refused.ready(), { message: /Fastify: rest\(formatter\)\. / })
    for (const [what, also] of Object.entries(curious)) {
      const mounted = await createMounted(t, create(also))
      await t.rejects(async () => mounted.ready(), { message: /Fastify: rest\(formatter\)\. / }, what)
    }
    const ignoreMiddleware = ['rest(formatter)']
    const ignoring = await createMounted(t, create(formatter), { ignoreMiddleware })
    t.match(await request(ignoring, 'GET', '/things/1'), { status: 200, body: { id: '1' } })
    const after = (theirs: Theirs) => () => void theirs.use('later', mirror)
    const theirs = create(formatter)
    const answered = await createMounted(t, theirs, { fallback: true, after: after(theirs) })
    for (const url of ['/things', '/later']) t.same((await request(answered, 'GET', url)).body, shown)
    const changing = create()
    const change = () => void (changing as unknown as Use).configure(restOf[name]?.(formatter)).use('later', mirror)
    const changed = await createMounted(t, changing, { fallback: true, after: change })
    await t.rejects(async () => changed.ready(), {
      message: /got middleware after it was mounted: .*rest\(formatter\)\./
    })
    const plain = await createMounted(t, create(), { fallback: true })
    t.match(await request(plain, 'GET', '/things/1'), { status: 200, body: { id: '1' } })
    const needless = await createMounted(t, create(), { ignoreMiddleware })
    await t.rejects(async () => needless.ready(), {
      message: /names 'rest\(formatter\)', which is no middleware/
    })
  })
