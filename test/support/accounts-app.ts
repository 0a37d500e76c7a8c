import './auth-scrypt.js'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { AccountMail } from 'fastify-services/accounts'
import type { Test } from 'tap'
import { createUsers, type PasswordApp, type User } from './auth-passwords.js'

export const ada = { email: 'ada@example.com', password: 'correct horse' }

/** Users, their login, and a plugin of accounts. Mails are kept instead of being sent. */
export async function createAccounts(
  t: Test,
  register: (app: FastifyInstance, send: (mail: AccountMail) => unknown) => unknown,
  options: PasswordApp = {}
) {
  const base = await createUsers(t, { options: {}, ...options })
  const mails: AccountMail[] = []
  await register(base.app, (mail) => mails.push(mail))
  await base.app.ready()
  const post = (url: string, payload: unknown, headers?: Record<string, string>) =>
    base.send('POST', url, payload, headers)
  /** Waits for the next mail, as long as it takes. */
  const nextMail = async () => {
    while (mails.length === 0) await setImmediate()
    return mails.shift() as { user: User; token: string }
  }
  return { ...base, mails, post, nextMail }
}
