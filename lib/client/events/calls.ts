import type { ServiceAddons } from '../../../types/hooks.js'
import { attempt } from '../../core/errors.js'
import { methods } from '../../core/methods.js'
import type { Connection } from '../rest.js'
import type { Signal } from './messages.js'

/** The calls of this client, by the hashes of their ids. */
export interface Calls {
  /**
   * Emits an event at a service, unless a call of this client has emitted it itself: where that is
   * under way, when it is answered. Events of a service keep their order, but none waits long for
   * the answer to the call of another.
   *
   * @param isWanted whether the event still concerns the current user, when its turn comes
   */
  emit(service: ServiceAddons, signal: Signal, isWanted: () => boolean): void
}

/** How long an event waits for the answer to the call of one before it, in ms. */
const timeout = 2000

/** How many calls are remembered. The event of an earlier one counts as another client's. */
const remembered = 1000

const toBase64 = (bytes: Uint8Array | ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')

/**
 * SHA-256, the first 22 characters of it. Browsers have their own for pages of secure origins
 * alone.
 */
async function hashOfCall(id: string): Promise<string> {
  const bytes = new TextEncoder().encode(id)
  const { subtle } = crypto
  const digest = subtle ? await subtle.digest('SHA-256', bytes) : (await import('./digest.js')).sha256(bytes)
  return toBase64(digest).slice(0, 22)
}

/**
 * Gives each call that changes something an id, by which its events are recognized.
 *
 * @param onAnswer is called with the name of the service when such a call has succeeded
 */
export function createCalls(connection: Connection, onAnswer: (service: string) => void): Calls {
  // The events that calls emit when they are answered: a custom method emits none.
  const answers = new Map<string, Promise<string | false | null | undefined>>()
  const { send } = connection
  connection.send = async (request) => {
    if (/^(GET|QUERY)$/.test(request.method)) return send(request)
    const id = toBase64(crypto.getRandomValues(new Uint8Array(18)))
    const hash = await hashOfCall(id).catch(() => '')
    const answer = send({ ...request, headers: { ...request.headers, 'X-Events-Call': id } })
    const success = answer.then(
      ({ status }) => status < 300,
      () => false
    )
    void success.then((isDone) => isDone && onAnswer(request.service))
    answers.set(
      hash,
      success.then((isDone) => isDone && methods.get(request.call)?.event)
    )
    const [oldest] = answers.keys()
    if (answers.size > remembered) answers.delete(oldest as string)
    return answer
  }
  // When the next event of each service may be emitted.
  const turns = new WeakMap<ServiceAddons, Promise<unknown>>()
  return {
    emit(service, { event, data, call }, isWanted) {
      const answer = answers.get(call as string)
      const emitted = Promise.all([answer, turns.get(service)]).then(([emittedByCall]) => {
        if (emittedByCall !== event && isWanted()) service.emit(event, data)
      })
      // A wait of some platforms is a number. Where it is an object, a process need not stay for
      // it.
      const late = () => new Promise((resolve) => setTimeout(resolve, timeout).unref?.())
      turns.set(service, answer ? Promise.race([emitted, late()]) : emitted)
    }
  }
}

const payloadOf = (token: string) =>
  attempt(() => JSON.parse(atob((token.split('.')[1] as string).replaceAll('-', '+').replaceAll('_', '/'))))

function toUser(payload: unknown, unknown: string): string {
  const { iss, aud, sub } = Object(payload)
  return sub === undefined ? unknown : JSON.stringify([iss, aud, sub])
}

/**
 * Who a request is made for: the user of its token, `''` for nobody, and the credentials themselves
 * where they say nothing.
 */
export const whoOf = (credentials: string | null | undefined): string =>
  credentials ? toUser(payloadOf(credentials), credentials) : ''

/**
 * Who has logged in. With cookies there is no token to ask. A user who is not known is another one
 * each time.
 */
export function loginUserOf(login: unknown): string {
  const { accessToken, authentication } = Object(login)
  return toUser(payloadOf(accessToken) ?? Object(authentication).payload, String(Math.random()))
}
