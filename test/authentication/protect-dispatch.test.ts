import type { HookContext } from 'fastify-services'
import t from 'tap'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

t.test('protect: the dispatch of a call of the server is made when it is read', async (t) => {
  let reads = 0
  const answer = {
    get user() {
      reads++
      return record()
    }
  }
  const { things } = await createProtected(t, { answer: () => answer })
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
  await things.create({})
  t.equal(reads, 0)
  t.strictSame(contexts[0]?.dispatch, { user: open() })
  t.equal(contexts[0]?.dispatch, contexts[0]?.dispatch)
  await things.create({}, { query: { own: [record()] } })
  t.strictSame(contexts[1]?.dispatch, [open()])
  things.hooks({
    around: {
      create: [
        async (context, next) => {
          await next()
          delete (context as Partial<HookContext>).dispatch
        }
      ]
    }
  })
  await things.create({})
  t.strictSame(contexts[2]?.dispatch, { user: open() }, 'a hook has taken it away')
  if (contexts[1]) contexts[1].dispatch = 'mine' as never
  t.equal(contexts[1]?.dispatch, 'mine')
})
