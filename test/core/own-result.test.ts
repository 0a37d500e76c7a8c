import { BadRequest } from 'fastify-services'
import t from 'tap'
import { settled } from '../support/core.js'
import { type Around, createGet, fail } from '../support/core-services.js'

/** A hook with a result of its own that does not wait for the method. */
const hasty: Around = async (context, next) => {
  next()
  context.result = { id: 'own' }
}

t.test('a forgotten `await` of next, and a result of the hook: the call ends after the method', async (t) => {
  const ended: string[] = []
  const late = async () => {
    await settled()
    ended.push('method')
    return { id: 'late' }
  }
  const { get } = await createGet(t, [hasty], late)
  await get()
  t.same(ended, ['method'])
})

t.test(
  'a forgotten `await` of next, and a result of the hook: a failure of the method is that of the call',
  async (t) => {
    const { get } = await createGet(t, [hasty], () => settled().then(fail(new BadRequest('late'))))
    await t.rejects(get(), { message: 'late', code: 400 })
  }
)
