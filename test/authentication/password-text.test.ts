import t from 'tap'
import { Passwords } from '../../lib/authentication/password.js'
import { toHash } from '../support/auth-passwords.js'

// What strategies of an application get too: the bound stands before the work, whoever asks.
const none = ['', 'x'.repeat(1025), 'ﷺ'.repeat(100_000), 'a\0b', 5, null, undefined, {}, ['x']] as string[]

t.test('what can be no password is not hashed, and equals none', async (t) => {
  let computed = 0
  const passwords = new Passwords()
  passwords.add({
    compare: async () => {
      computed++
      return true
    }
  })
  for (const password of none) {
    await t.rejects(passwords.hash(password), { name: 'BadRequest', message: /1 to 1024 characters/ })
    t.equal(await passwords.verify(password, 'counted'), false)
  }
  t.equal(computed, 0)
  t.equal(await passwords.verify('x'.repeat(1024), toHash('x'.repeat(1024))), true)
})
