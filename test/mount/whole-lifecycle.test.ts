import { feathers } from '@feathersjs/feathers'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t, { type Test } from 'tap'
import { outcomeOf } from '../core/told.js'
import { settled } from '../support/core.js'
import { isKept } from '../support/kept.js'
import { mirror, type Theirs } from '../support/mounted-app.js'

type Ran = unknown[]

/** An application that tells when it is set up and torn down, and how long that takes. */
function createTelling(ran: Ran, ...paths: string[]): Theirs {
  const theirs: Theirs = feathers()
  const tell = (name: string) => async (app: unknown, path: string) => {
    await settled()
    ran.push(`${name} ${path} ${app === theirs}`)
  }
  for (const path of paths) theirs.use(path, { ...mirror, setup: tell('setup'), teardown: tell('teardown') })
  const around = (name: string) => async (context: { arguments: { name?: string }[] }, next: () => Promise<void>) => {
    ran.push(`${name} of ${context.arguments[0]?.name}`)
    await next()
    await settled()
    ran.push(`${name} is over`)
  }
  theirs.hooks({ setup: [around('setup')], teardown: [around('teardown')] } as never)
  return theirs
}

/** A server with a name, on which applications are mounted. */
async function createServer(t: Test, name: string, ran: Ran, ...all: Theirs[]): Promise<FastifyInstance> {
  const app = Fastify()
  t.teardown(() => app.close())
  Object.assign(app.server, { name })
  await app.register(services)
  for (const theirs of all) await app.register(mounted, { app: theirs })
  app.addHook('onReady', async () => void ran.push(`${name} is ready`))
  return app
}

const courses: Record<string, (t: Test, ran: Ran) => Promise<unknown>> = {
  'one server': async (t, ran) => {
    const app = await createServer(t, 'A', ran, createTelling(ran, 'one', 'two'))
    await app.ready()
    await app.close()
  },
  'one without services': async (t, ran) => {
    const app = await createServer(t, 'A', ran, createTelling(ran))
    await app.ready()
    await app.close()
  },
  'one that closes before it is ready': async (t, ran) => {
    await (await createServer(t, 'A', ran, createTelling(ran, 'one'))).close()
  },
  'two servers': async (t, ran) => {
    const theirs = createTelling(ran, 'one')
    const [a, b] = [await createServer(t, 'A', ran, theirs), await createServer(t, 'B', ran, theirs)]
    await Promise.all([a.ready(), b.ready()])
    await a.close()
    ran.push('A is closed')
    await b.close()
    ran.push('B is closed')
  },
  'two servers without services': async (t, ran) => {
    const theirs = createTelling(ran)
    const [a, b] = [await createServer(t, 'A', ran, theirs), await createServer(t, 'B', ran, theirs)]
    await a.ready()
    await b.ready()
    await b.close()
    ran.push('B is closed')
    await a.close()
  },
  'one server after the other': async (t, ran) => {
    const theirs = createTelling(ran, 'one')
    for (const name of ['A', 'B']) {
      const app = await createServer(t, name, ran, theirs)
      await app.ready()
      await app.close()
    }
  },
  'two applications': async (t, ran) => {
    const app = await createServer(
      t,
      'A',
      ran,
      createTelling(ran, 'one'),
      createTelling(ran, 'two'),
      createTelling(ran)
    )
    await app.ready()
    await app.close()
  },
  'one that was set up before': async (t, ran) => {
    const theirs = createTelling(ran, 'one')
    await theirs.setup()
    const app = await createServer(t, 'A', ran, theirs)
    await app.ready()
    await app.close()
  },
  'the server that is named': async (t, ran) => {
    const app = await createServer(t, 'A', ran, createTelling(ran, 'one'))
    await app.setup({ name: 'named' } as never)
    await app.close()
  },
  'services that come and go': async (t, ran) => {
    const theirs = createTelling(ran, 'one')
    const before = theirs.mixins.length
    const app = await createServer(t, 'A', ran, theirs)
    const ask = async (url: string) => {
      const { statusCode, body } = await app.inject({ url, headers: { accept: 'application/json' } })
      ran.push([url, statusCode, JSON.parse(body).message])
    }
    theirs.use('later', mirror)
    theirs.mixins.push((_service, path) => void ran.push(`mixin of ${path}`))
    await app.ready()
    await ask('/later/1')
    ran.push(outcomeOf(() => theirs.use('too-late', mirror)))
    ran.push(outcomeOf(() => theirs.use('one', mirror)))
    theirs.use('inside', mirror, { methods: [] })
    await ask('/inside/1')
    await theirs.unuse('later')
    await ask('/later/1')
    await app.close()
    ran.push(theirs.mixins.length - before)
    theirs.use('after', mirror)
  }
}

t.test('the set-up and the tear-down of mounted applications, in order', async (t) => {
  const table: Record<string, unknown> = {}
  for (const [name, run] of Object.entries(courses)) {
    const ran: Ran = []
    await run(t, ran)
    table[name] = ran
  }
  isKept(t, table, 'test/mount/whole-lifecycle.txt')
})
