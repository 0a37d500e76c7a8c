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

type FindUser = () => UserRecord | undefined | Promise<UserRecord | undefined>

// In milliseconds.
const maxClosing = 5_000

/** Sends mails in the background. A server that closes waits for them, at most five seconds. */
export class Mails {
  readonly #app: FastifyInstance
  readonly #login: PasswordLogin
  readonly #links: Links
  readonly #send: SendMail
  readonly #underWay = new Set<Promise<void>>()

  constructor(app: FastifyInstance, login: PasswordLogin, links: Links, send: SendMail) {
    this.#app = app
    this.#login = login
    this.#links = links
    this.#send = send
    app.addHook('onClose', () => this.#finish())
  }

  /**
   * Sends a mail after the answer to a call: its time must not reveal whether there is a mail.
   * @param find returns the user, `undefined` if no mail is to be sent
   */
  start(params: Params, find: FindUser): void {
    const mail = this.#deliver(params, find).finally(() => this.#underWay.delete(mail))
    this.#underWay.add(mail)
  }

  async #deliver(params: Params, find: FindUser): Promise<void> {
    try {
      await answerTo(params)
      const user = await find()
      // Signing delays the next request, which would reveal a mail. So it is done without one, too.
      const token = this.#links.sign(user)
      if (user !== undefined) await this.#send({ user: this.#login.users.redact(user) as AnyUser, token })
    } catch (err) {
      this.#app.log.error({ err }, 'A mail to a user could not be sent')
    }
  }

  async #finish(): Promise<void> {
    const timer = new AbortController()
    const timeout = setTimeout(maxClosing, undefined, { signal: timer.signal }).catch(() => {})
    await Promise.race([Promise.allSettled(this.#underWay), timeout])
    timer.abort()
  }
}

/** Resolves when the answer to the client of a call was sent, or soon if the server itself calls. */
const answerTo = (params: Params) =>
  new Promise<void>((resolve) => {
    const caller = callerIn(params)
    if (caller === undefined) setImmediate(resolve)
    else caller.onEnd(resolve)
  })
