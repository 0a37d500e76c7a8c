import type { HookContext } from 'fastify-services'
import t from 'tap'
import { request } from '../support/host.js'
import { createRouted } from '../support/routed.js'

t.test('hooks get the arguments by name; a service calls it in the same way', async (t) => {
  const seen: unknown[] = []
  const note = (context: HookContext) => {
    const { method, id, data, params, event } = context
    seen.push([method, id, data, params.provider, event, context.arguments.length])
    if (method === 'publish') context.id = `${id}!`
  }
  const { app } = await createRouted(t, { options: { hooks: { before: { all: note } } } })
  t.match((await request(app, 'POST', '/posts/1/publish', { payload: { a: 1 } })).body.args, ['1!', { a: 1 }])
  await request(app, 'GET', '/posts/stats')
  const posts = app.service('posts') as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  await posts.publish?.(2, { b: 1 })
  await posts.clear?.(3)
  t.strictSame(seen, [
    ['publish', '1', { a: 1 }, 'rest', null, 3],
    ['stats', undefined, undefined, 'rest', null, 1],
    ['publish', 2, { b: 1 }, undefined, null, 3],
    ['clear', 3, undefined, undefined, null, 2]
  ])
  await t.rejects(async () => posts.publish?.(), {
    name: 'BadRequest',
    message: "An id must be provided to the 'publish' method"
  })
})

t.test('a schema of its own for placeholders, query, body and response; `bodyLimit` and `config`', async (t) => {
  const integer = { type: 'integer' }
  const of = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) })
  const { app } = await createRouted(t, {
    options: {
      schema: {
        publish: {
          params: of({ id: integer }),
          body: of({ days: integer }),
          querystring: { type: 'object', properties: { a: integer } },
          response: of({ method: { type: 'string' } })
        },
        clear: { response: { 200: of({ args: { type: 'array' } }) } },
        stats: { response: { type: 'object', properties: { data: { type: 'array' }, method: { type: 'string' } } } }
      },
      bodyLimit: 30,
      config: { a: 1 },
      before: [
        async ({ feathers, routeOptions }) =>
          void Object.assign(feathers, { config: { a: (routeOptions.config as { a?: number }).a } })
      ],
      hooks: {
        after: [
          ({ method, id, data, params, result }) => {
            if (method === 'stats') return { result: { data: [1], method, secret: 1 } }
            if (method === 'publish')
              t.strictSame(
                [id, data, params.query, params.config, result && 1],
                [1, { days: 2 }, { a: 3 }, { a: 1 }, 1]
              )
            return undefined
          }
        ]
      }
    }
  })
  const publish = (id: string, payload: object, query = '') =>
    request(app, 'POST', `/posts/${id}/publish${query}`, { payload })
  t.strictSame((await publish('1', { days: '2' }, '?a=3')).body, { method: 'publish' })
  t.match(await publish('a', { days: 2 }), { status: 400, body: { message: 'params/id must be integer' } })
  t.match(await publish('1', {}), { status: 400, body: { message: /days/ } })
  t.match(
    await publish('1', [{ days: 1 }]),
    { status: 400, body: { message: 'body must be object' } },
    'the data of a record is no list'
  )
  t.equal((await publish('1', { days: 1, text: 'much too long for this limit' })).status, 413)
  t.strictSame((await request(app, 'DELETE', '/posts/1/comments')).body, { args: ['1'] })
  t.strictSame((await request(app, 'GET', '/posts/stats')).body, { data: [1], method: 'stats' }, 'is no page')
  const named = { headers: { 'x-service-method': 'publish' }, payload: { id: '1', days: '2' } }
  t.strictSame((await request(app, 'POST', '/posts?a=3', named)).body, { method: 'publish' }, 'by the header too')
})
