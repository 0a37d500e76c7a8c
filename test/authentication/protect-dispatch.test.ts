import { Readable } from 'node:stream'
import type { HookContext } from 'fastify-services'
import t from 'tap'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

t.test('protect: the dispatch of a call of the server is without the field, at any depth', async (t) => {
  const { things } = await createProtected(t, { answer: () => ({ users: [[record()]] }) })
  const contexts: HookContext[] = []
  things.on('created', (_record, context) => contexts.push(context))
  things.hooks({
    around: {
      create: [
        async (context, next) => {
          await next()
          context.dispatch = context.params.query?.own as never
        }
      ]
    }
  })
  t.strictSame(await things.create({}), { users: [[record()]] })
  t.strictSame(contexts[0]?.dispatch, { users: [[open()]] })
  await things.create({}, { query: { own: [record()] } })
  t.strictSame(contexts[1]?.dispatch, [open()], 'that of a hook too')
})

t.test('protect: the dispatch of a call of the server disturbs it not', async (t) => {
  const broken = {
    get name() {
      throw new Error('broken')
    }
  }
  const stream = Readable.from([record()])
  for (const answer of [broken, stream, Readable.toWeb(Readable.from([record()])), null]) {
    const { things } = await createProtected(t, { answer: () => answer })
    const seen: unknown[] = []
    things.on('created', (_record, context) => seen.push(context.dispatch))
    t.equal(await things.create({}).catch((error: Error) => error), answer)
    t.strictSame(seen, [null])
  }
  t.strictSame(await stream.toArray(), [record()], "a stream is its caller's alone")
})
