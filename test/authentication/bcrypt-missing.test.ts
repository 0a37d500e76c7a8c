import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { createUsers } from '../support/auth-passwords.js'

const script = fileURLToPath(new URL('../support/auth-passwords-missing.js', import.meta.url))

t.test('bcrypt where the optional peer is not installed: the server does not start, and says what to do', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  const { wanted, handedIn, not } = JSON.parse(stdout)
  t.strictSame(wanted, {
    message: 'The option `bcrypt` of the strategy local needs a library: npm install bcryptjs',
    cause: "Cannot find package 'bcryptjs'"
  })
  t.equal(handedIn, 'started', 'a library that is handed in does instead')
  t.equal(not, 'started', 'who does not want it does not need it')
})

t.test('a library without `compare` keeps the server from starting, with what to do', async (t) => {
  for (const bcrypt of [{}, 'bcryptjs', { hash: async () => '' }]) {
    const { app } = await createUsers(t, {
      options: {},
      authentication: { strategies: { local: { bcrypt: bcrypt as never } } }
    })
    await t.rejects(async () => void (await app.ready()), { message: /bcrypt.*compare/ }, JSON.stringify(bcrypt))
  }
})
