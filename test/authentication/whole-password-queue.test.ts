import t from 'tap'
import { Passwords } from '../../lib/authentication/password.js'
import { scryptCalls } from '../support/auth-scrypt.js'
import { isKept } from '../support/kept.js'
import { toHash } from '../support/stored-password.js'
import { byOutcome, tame } from './outcomes.js'
import { noted, values } from './password-values.js'

t.test('passwords, and how many at once', async (t) => {
  noted()
  const passwords = new Passwords({ concurrent: 1, waiting: 2 })
  const kept: Record<string, unknown> = {
    hashed: await byOutcome(values, async (value) => `${tame(await passwords.hash(value as string))} ${noted()}`),
    verified: await byOutcome(
      values,
      async (value) => `${await passwords.verify(value as string, toHash('fi'))} ${noted()}`
    )
  }
  const told = (one: PromiseSettledResult<unknown>) =>
    one.status === 'fulfilled' ? tame(one.value) : [one.reason.code, one.reason.message, one.reason.data]
  for (const [name, own] of Object.entries({
    'one and two': passwords,
    defaults: new Passwords(),
    'none waits': new Passwords({ concurrent: 2, waiting: 0 })
  })) {
    const results = await Promise.allSettled(
      Array.from({ length: 55 }, (_, index) => (index % 2 === 0 ? own.hash('x') : own.verify('x', undefined)))
    )
    kept[name] = {
      ...Object.fromEntries(results.map((one, index) => [`${JSON.stringify(told(one))}`, index])),
      most: scryptCalls().most
    }
  }
  isKept(t, kept, 'test/authentication/whole-password-queue.txt')
})
