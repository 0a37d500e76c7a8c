import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createMounted, createWarnings, mirror, type Theirs } from '../support/mounted-app.js'
import { frameworks } from '../support/mounted-frameworks.js'

/** An application that has been mounted and started. */
async function start(t: Test, theirs: Theirs, options: Parameters<typeof createMounted>[2]) {
  const app = await createMounted(t, theirs, options)
  await app.ready()
  return app
}

for (const { name, create, middleware, around } of frameworks) {
  const icon = middleware('serveFavicon', ({ path }) => (path === '/icon' ? { icon: true } : undefined))
  const wall = middleware('wall', ({ raw }) => (raw.headers['x-pass'] ? undefined : { stopped: true }))
  const build = (theirs: Theirs) => theirs.use('things', mirror)
  const mount = (before: unknown[], ignoreMiddleware: unknown, fallback = true) =>
    start(t, create({ before, build }), { fallback, ignoreMiddleware: ignoreMiddleware as string[] })

  t.test(`${name}: Fastify answers services in spite of middleware that is named`, async (t) => {
    for (const ignored of ['serveFavicon', icon]) {
      const app = await mount([icon], [ignored])
      t.same(
        (await request(app, 'POST', '/things', { headers: { 'content-type': 'text/plain' }, payload: 'a' })).status,
        415,
        'Koa and Express take it'
      )
      t.same((await request(app, 'GET', '/icon')).body, { icon: true }, 'it runs for what no route takes')
    }
  })

  t.test(`${name}: what is not named is a concern as before`, async (t) => {
    const app = await mount([icon, wall], ['serveFavicon'])
    t.same((await request(app, 'GET', '/things')).body, { stopped: true })
    t.equal((await request(app, 'GET', '/things', { headers: { 'x-pass': '1' } })).status, 200)
    await t.rejects(mount([icon, wall], ['serveFavicon'], false), { message: /does not run on Fastify: wall\./ })
    t.equal((await request(await mount([icon, wall], ['serveFavicon', wall], false), 'GET', '/things')).status, 200)
  })

  t.test(`${name}: middleware of a service has the name that the start tells, too`, async (t) => {
    const tag = middleware('tag', ({ feathers }) => void Object.assign(feathers, { tag: 'a' }))
    const other = middleware('tag', () => ({ stopped: true }))
    const createTagged = (...second: unknown[]) =>
      create({
        build(theirs) {
          around(theirs, 'tagged', { find: async ({ tag = 'none' }) => ({ tag }) }, [tag])
          around(theirs, 'second', mirror, second)
        }
      })
    for (const ignored of ['tag', "tag of the service 'tagged'", tag]) {
      const app = await start(t, createTagged(), { fallback: true, ignoreMiddleware: [ignored as string] })
      t.same((await request(app, 'GET', '/tagged')).body, { tag: 'none' })
    }
    const app = await start(t, createTagged(tag), { ignoreMiddleware: ['tag'] })
    t.equal((await request(app, 'GET', '/second')).status, 200, 'one function of two services is one')
    for (const fallback of [true, false])
      await t.rejects(start(t, createTagged(other), { fallback, ignoreMiddleware: ['tag'] }), {
        message: /names 'tag', but 2 functions .* one of them may be a guard: give it the functions/
      })
    const ignoreMiddleware = ["tag of the service 'tagged'"]
    const partly = await start(t, createTagged(other), { fallback: true, ignoreMiddleware })
    t.same((await request(partly, 'GET', '/tagged')).body, { tag: 'none' })
    t.same((await request(partly, 'GET', '/second')).body, { stopped: true })
  })

  t.test(`${name}: a name that no middleware has is told, with those that there are`, async (t) => {
    for (const fallback of [true, false]) {
      await t.rejects(mount([icon, wall], ['servefavicn', 'wall'], fallback), {
        message:
          /names 'servefavicn', which is no middleware of the Feathers application\. There are: serveFavicon, wall\. Did you mean 'serveFavicon'\?$/
      })
      await t.rejects(mount([icon], ['compress'], fallback), { message: /There are: serveFavicon$/ })
      await t.rejects(mount([], [() => undefined], fallback), {
        message: /names the function without a name, which is no middleware .* There are: none$/
      })
    }
  })

  t.test(`${name}: what is replaced anyway may be named, and its plugin is recommended as before`, async (t) => {
    const { warnings, logger } = createWarnings()
    const brought =
      name === 'Koa' ? (await import('@feathersjs/koa')).cors() : (await import('@feathersjs/express')).default.cors()
    await start(t, create({ before: [brought], build }), {
      ignoreMiddleware: [brought as never],
      server: { logger }
    })
    t.match(warnings, [/Use @fastify\/cors instead/])
  })
}
