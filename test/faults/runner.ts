import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'
import { Child } from '../support/child.js'
import { type Answer, overHttp1, overHttp2, type Request } from './exchange.js'
import type { ServerOptions, State } from './server/control.js'

/** A case: what is sent, and what must come of it. */
export interface Row {
  readonly row: string
  readonly request: Request
  readonly expected: Expected
}

export interface Expected {
  /** One of several, where Fastify, Node or the moment decides; 0: the connection ends without an answer. */
  readonly status: number | readonly number[]
  /** Of an error. Default: that of its status. */
  readonly name?: string | RegExp
  readonly message?: string | RegExp
  /** `undefined`: absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>
  /** An object is compared with the JSON, a text with the body as it is. */
  readonly body?: object | string | RegExp | null
  /** What may stand nowhere in the answer. */
  readonly absent?: RegExp
  /** The calls that have reached the recording service; an empty list: none. */
  readonly calls?: readonly { method: string; id?: string | null }[] | undefined
  /** Whether Node answers it by itself, in a shape of its own. */
  readonly isForeign?: true
  /** Whether the body has begun and is cut off. */
  readonly isCut?: true
}

const names: Record<number, string> = {
  ...{ 400: 'BadRequest', 401: 'NotAuthenticated', 404: 'NotFound', 405: 'MethodNotAllowed', 406: 'NotAcceptable' },
  ...{ 409: 'Conflict', 413: 'PayloadTooLarge', 414: 'UriTooLong', 415: 'UnsupportedMediaType' },
  ...{ 500: 'GeneralError', 503: 'Unavailable' }
}
const known = ['name', 'message', 'code', 'className', 'data', 'errors']

/**
 * Runs a table against a server in a process of its own. After each row: the process lives, a plain GET is 200, nothing was printed,
 * nothing is polluted, no handle is there and no source is open that was not before.
 */
export async function runRows(t: Test, rows: readonly Row[], options: ServerOptions = {}): Promise<void> {
  const child = new Child('../faults/server/main.js', JSON.stringify(options))
  t.teardown(() => child.stop())
  const send = (request: Request) =>
    (options.http2 ? overHttp2 : overHttp1)(child.port, request, () => child.message('waiting'))
  let before: State | undefined
  for (const { row, request, expected } of rows) {
    if (!child.alive) {
      await child.start()
      await send(plain)
      before = await child.ask<State>('state')
    }
    const answer = await send(request)
    const found = [...compare(answer, request, expected)]
    const next = await send(plain)
    if (next.status !== 200) found.push(`the next plain GET is ${next.status}`)
    const kept = await leftOvers(child, before, expected)
    // What a row has left behind is not held against the next one.
    if (kept.length > 0) await child.kill()
    t.strictSame([...found, ...kept], [], row)
  }
}

const plain: Request = { target: '/alive' }

/** What of the answer is not as expected. */
function* compare(answer: Answer, { verb, headers, leaves }: Request, expected: Expected): Generator<string> {
  const { status, body } = answer
  const statuses = [expected.status].flat()
  if (!statuses.includes(status)) yield `status ${status}: ${body.slice(0, 200)}`
  const wantsHtml = !/json/.test(headers?.Accept ?? headers?.accept ?? 'json')
  if (status >= 400 && !expected.isForeign && verb !== 'HEAD')
    yield* wantsHtml ? comparePage(answer) : compareError(answer, expected)
  for (const [name, value] of Object.entries(expected.headers ?? {}))
    if (value === undefined ? name in answer.headers : !matches(answer.headers[name], value))
      yield `header ${name}: ${answer.headers[name]}`
  if (verb === 'HEAD' && body !== '') yield `HEAD has a body: ${body.slice(0, 200)}`
  if (
    expected.body !== undefined &&
    !matches(
      typeof expected.body === 'object' && !(expected.body instanceof RegExp) ? parsed(body) : body,
      expected.body
    )
  )
    yield `body: ${body.slice(0, 300)}`
  const all = `${JSON.stringify(answer.headers)} ${body}`
  if (expected.absent?.test(all)) yield `${expected.absent} stands in ${all.slice(0, 500)}`
  if (answer.headers['transfer-encoding'] && answer.headers['content-length']) yield 'two lengths'
  const isCut = expected.isCut === true && status < 400
  if (status > 0 && !leaves && verb !== 'HEAD' && !expected.isForeign && isCut === answer.isWhole)
    yield `the body is whole: ${answer.isWhole}`
}

function* compareError({ status, headers, body }: Answer, expected: Expected): Generator<string> {
  const error = Object(parsed(body)) as Record<string, unknown>
  const { name, message, code, className } = error
  if (!String(headers['content-type']).startsWith('application/json')) yield `content-type ${headers['content-type']}`
  if (typeof name !== 'string' || !matches(name, expected.name ?? names[status])) yield `name ${name}`
  if (typeof message !== 'string' || !matches(message, expected.message)) yield `message ${JSON.stringify(message)}`
  if (code !== status || typeof className !== 'string') yield `code ${code}, className ${className}`
  const others = Object.keys(error).filter((key) => !known.includes(key))
  if (others.length > 0) yield `further fields: ${others}`
}

function* comparePage({ headers, body }: Answer): Generator<string> {
  if (!String(headers['content-type']).startsWith('text/html')) yield `content-type ${headers['content-type']}`
  if (!/^<!DOCTYPE html>/i.test(body)) yield `no page: ${body.slice(0, 200)}`
  if (/<script|\[object Object\]|\bat .*\.js:\d/.test(body)) yield `page: ${body}`
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const matches = (value: unknown, expected: unknown) =>
  expected instanceof RegExp
    ? expected.test(String(value))
    : expected === undefined || isDeepStrictEqual(value, expected)

// What is closed at all is closed at once: this is for a machine that has no time.
const patience = 5000

/** What the process has kept of a row, once it has had the time to let go. */
async function leftOvers(child: Child, before: State | undefined, { calls }: Expected): Promise<string[]> {
  let state: State | undefined
  let found: string[] = []
  const seen: State['calls'] = []
  for (
    const start = Date.now();
    Date.now() - start < patience;
    await new Promise((resolve) => setTimeout(resolve, 5))
  ) {
    state = await child.ask<State>('state')
    if (state === undefined) return [`the process has died: ${child.printed()}`]
    seen.push(...state.calls)
    found = [...differences(state, before)]
    if (found.length === 0) break
  }
  if (
    calls !== undefined &&
    !isDeepStrictEqual(
      seen,
      calls.map(({ method, id = null }) => ({ method, id }))
    )
  )
    found.push(`calls: ${JSON.stringify(seen)}`)
  const printed = child.printed()
  return printed === '' ? found : [...found, `printed: ${printed}`]
}

function* differences(state: State, before: State | undefined): Generator<string> {
  if (state.open.length > 0) yield `not closed: ${state.open}`
  for (const [kind, count] of Object.entries(state.handles))
    if (count > (before?.handles[kind] ?? 0)) yield `${count} of ${kind}, before ${before?.handles[kind] ?? 0}`
  if (state.polluted.length > 0) yield `polluted: ${state.polluted}`
}
