import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { AnyUser } from '../../types/identity.js'
import type { Params } from '../../types/service.js'
import type { UserRecord } from '../authentication/users.js'
import { callerIn } from '../core/http-call.js'
import type { Links } from './links.js'
import type { PasswordLogin } from './password-login.js'

/** A mail to send: whom it is for, without the password, and the token for its link. */
export interface AccountMail {
  readonly user: AnyUser
  readonly token: string
}

/** Sends a mail, or puts it into a queue. If it throws or rejects, the error is logged. */
export type SendMail = (mail: AccountMail) => unknown

export type FindUser = () => UserRecord | undefined | Promise<UserRecord | undefined>

// In milliseconds.
const maxClosing = 5_000

export type StartMail = ReturnType<typeof createMailer>

/**
 * Creates the function that sends mails in the background. A server that closes waits for them, at
 * most five seconds.
 */
export function createMailer(app: FastifyInstance, { users }: PasswordLogin, links: Links, send: SendMail) {
  const underWay = new Set<Promise<void>>()

  async function deliver(params: Params, find: FindUser): Promise<void> {
    try {
      await answerTo(params)
      const user = await find()
      // Signing delays the next request, which would reveal a mail. So it is done without one, too.
      const token = links.sign(user)
      if (user !== undefined) await send({ user: users.redact(user) as AnyUser, token })
    } catch (err) {
      app.log.error({ err }, 'A mail to a user could not be sent')
    }
  }

  app.addHook('onClose', async () => {
    const timer = new AbortController()
    const timeout = setTimeout(maxClosing, undefined, { signal: timer.signal }).catch(() => {})
    await Promise.race([Promise.allSettled(underWay), timeout])
    timer.abort()
  })

  /**
   * Sends a mail after the answer to a call: its time must not reveal whether there is a mail.
   * @param find returns the user, `undefined` if no mail is to be sent
   */
  return (params: Params, find: FindUser): void => {
    const mail = deliver(params, find).finally(() => underWay.delete(mail))
    underWay.add(mail)
  }
}

/** Resolves when the answer to the client of a call was sent, or soon if the server itself calls. */
const answerTo = (params: Params) =>
  new Promise<void>((resolve) => {
    const caller = callerIn(params)
    if (caller === undefined) setImmediate(resolve)
    else caller.onEnd(resolve)
  })
