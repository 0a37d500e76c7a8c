import * as fletching from 'feathers-fletching'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { serve, set } from './serve.js'

const stash = async ({ data, params }) => ({ ...data, was: (await params.stashed()).text })
const list = (records) => records.map(({ id }) => id)

export const notes = '`strictRestQuery` needs Express'

/** Each hook and plugin that the package exports. */
export async function run(t) {
  const on = t.hook.bind(t)
  const cacheMap = new fletching.ContextCacheMap({ max: 10 })
  let reads = 0
  await on(
    'contextCache, ContextCacheMap',
    {
      before: {
        all: [
          fletching.contextCache(cacheMap),
          ({ result, method }) => void (method === 'get' && result === undefined && reads++)
        ]
      },
      after: { all: [fletching.contextCache(cacheMap)] }
    },
    async ({ notes }) => {
      cacheMap.map?.clear?.()
      reads = 0
      await notes.get(1)
      await notes.get(1)
      await notes.patch(1, { text: 'z' })
      return [reads, (await notes.get(1)).text, reads]
    },
    [1, 'z', 2]
  )
  await on(
    'joinQuery',
    { before: { find: [fletching.joinQuery({ user: { service: 'users', targetKey: 'id', foreignKey: 'userId' } })] } },
    async ({ notes }) => list(await notes.find({ query: { 'user.name': 'Ada' } })),
    [1, 3]
  )
  await t.check(
    'jsonQueryServer',
    async (side) => {
      fletching.jsonQueryServer(side.app)
      const { send } = await serve(side)
      const [status, notes] = await send('GET', `notes?json=${encodeURIComponent('{"userId":1}')}`)
      return [status, list(notes)]
    },
    [200, [1, 3]]
  )
  await t.check(
    'jsonQueryClient',
    async (side) => {
      const {
        side: { app },
        notes
      } = await serve(side)
      fletching.jsonQueryClient(app)
      notes.hooks({
        after: { find: [set('result', (context) => context.params.query)] },
        before: { find: [set('result', () => [])] }
      })
      return notes.find({ query: { userId: 1 } })
    },
    { json: '{"userId":1}' }
  )
  await on(
    'jsonQueryParse, jsonQueryStringify',
    { before: { find: [fletching.jsonQueryStringify(), fletching.jsonQueryParse()] } },
    async ({ notes }) => list(await notes.find({ query: { userId: 2 } })),
    [2]
  )
  await on(
    'preventChange',
    {
      before: { all: [], patch: [fletching.preventChange(['userId'])], update: [fletching.preventChange(['userId'])] }
    },
    async ({ notes, send }) => [
      (await send('PATCH', 'notes/1', { text: 'z', userId: 9 }))[1].userId,
      (await notes.update(1, { text: 'y', userId: 9 })).userId
    ],
    [1, 1]
  )
  const limiter = () => new RateLimiterMemory({ points: 1, duration: 60 })
  await on(
    'rateLimit',
    { before: { find: [fletching.rateLimit(limiter())] } },
    async ({ send }) => [(await send('GET', 'notes'))[0], (await send('GET', 'notes'))[0]],
    [200, 429]
  )
  await on(
    'sanitizeError',
    {
      before: {
        get: [
          () => {
            throw new Error('The key is sesame')
          }
        ]
      },
      error: { all: [fletching.sanitizeError({ sesame: '***' })] }
    },
    async ({ notes }) => notes.get(1).catch(({ message }) => message),
    'The key is ***'
  )
  await on(
    'sanitizeResult',
    { after: { all: [fletching.sanitizeResult({ a: 'A' })] } },
    async ({ send }) => (await send('GET', 'notes/1'))[1].text,
    'A'
  )
  await on(
    'skippable',
    {
      before: {
        get: [
          fletching.skippable('mine', (context) => {
            context.id = 2
            return context
          })
        ]
      }
    },
    async ({ notes }) => [(await notes.get(1)).id, (await notes.get(1, { skipHooks: ['mine'] })).id],
    [2, 1]
  )
  await on(
    'stashable',
    { before: { patch: [fletching.stashable(), set('data', stash)] } },
    async ({ send }) => (await send('PATCH', 'notes/1', { text: 'z' }))[1].was,
    'a'
  )
  await t.check(
    'strictRestQuery',
    async (side) => {
      side.app.configure(fletching.strictRestQuery())
      const { send } = await serve(side)
      const [status, notes] = await send('GET', 'notes?userId=1')
      return [status, list(notes)]
    },
    [200, [1, 3]]
  )
  await on(
    'withData, withoutData',
    {
      before: { create: [fletching.withData({ path: (_data, { path }) => path }), fletching.withoutData(['secret'])] }
    },
    async ({ notes }) => notes.create({ secret: 1 }),
    { path: 'notes', id: 4 }
  )
  await on(
    'withQuery',
    { before: { find: [fletching.withQuery({ userId: (_query, { params }) => params.user.id })] } },
    async ({ notes }) => list(await notes.find({ user: { id: 2 } })),
    [2]
  )
  await on(
    'withoutQuery',
    { before: { find: [fletching.withoutQuery(['text'])] } },
    async ({ send }) => list((await send('GET', 'notes?text=zzz'))[1]),
    [1, 2, 3]
  )
  await on(
    'withResult, withoutResult',
    {
      after: {
        all: [
          fletching.withResult({ user: (note, { app }) => app.service('users').get(note.userId) }),
          fletching.withoutResult(['tags', 'user.password'])
        ]
      }
    },
    async ({ notes }) => notes.get(2),
    { id: 2, text: 'b', userId: 2, user: { id: 2, name: 'Bob' } }
  )
}
