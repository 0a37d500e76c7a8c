import { attempt } from '../../core/errors.js'
import type { Connection } from '../connection.js'

/** The calls of this client, by the hashes of their ids. */
export interface Calls {
  /** Whether an event is that of a call of this client that has succeeded. It waits for the answer of one that is under way. */
  isAnswered(hash: unknown): Promise<boolean>
}

/** How many calls are remembered. The event of an earlier one counts as that of another client. */
const remembered = 1000

const toBase64 = (bytes: Uint8Array | ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')

/** SHA-256, the first 22 characters of it. Browsers have their own for pages of secure origins alone. */
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
  const answers = new Map<string, Promise<boolean>>()
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
    answers.set(hash, success)
    const [oldest] = answers.keys()
    if (answers.size > remembered) answers.delete(oldest as string)
    return answer
  }
  return { isAnswered: async (hash) => (await answers.get(hash as string)) === true }
}

/** Who a request is made for: the user of its token, `''` for nobody, and the credentials themselves where they say nothing. */
export function whoOf(credentials: string | null | undefined): string {
  if (!credentials) return ''
  const [, payload = ''] = credentials.split('.')
  const { iss, aud, sub } = attempt(() => JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))) ?? {}
  return sub === undefined ? credentials : JSON.stringify([iss, aud, sub])
}
