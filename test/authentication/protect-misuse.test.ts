import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { createProtected } from '../support/auth-passwords-protect.js'

t.test('protect without a field says what to do', async (t) => {
  t.throws(() => protect(), { message: "protect needs the name of a field: protect('password')" })
})

for (const type of ['before', 'after', 'error'])
  t.test(`protect as ${type} hook: the server does not start, and says why`, async (t) => {
    const { app } = await createProtected(t, { hooks: { [type]: { all: [protect('secret')] } } })
    await t.rejects(async () => void (await app.ready()), {
      message: `protect at 'things' is a hook for 'around', not for '${type}'`
    })
  })

for (const type of ['before', 'after'])
  t.test(`protect as ${type} hook that is added while the server runs: nothing leaves`, async (t) => {
    const { app, send, things } = await createProtected(t, { hooks: {} })
    await app.ready()
    things.hooks({ [type]: { all: [protect('secret', 'pin')] } })
    const { body } = await send('GET', '/things/1')
    t.notMatch(JSON.stringify(body), 's3cret')
  })
