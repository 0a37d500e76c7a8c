import { isDeepStrictEqual } from 'node:util'
import type { Answer, Request } from './exchange.js'

/** What must come of a request. */
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
  /** Whether the body may be cut off, or not. */
  readonly isAnyEnd?: true
}

const names: Record<number, string> = {
  ...{ 400: 'BadRequest', 401: 'NotAuthenticated', 404: 'NotFound', 405: 'MethodNotAllowed', 406: 'NotAcceptable' },
  ...{ 409: 'Conflict', 413: 'PayloadTooLarge', 414: 'UriTooLong', 415: 'UnsupportedMediaType' },
  ...{ 500: 'GeneralError', 503: 'Unavailable' }
}
const errorNames = ['name', 'message', 'code', 'className', 'data', 'errors']

/** What of the answer is not as expected. */
export function* compare(answer: Answer, { verb, headers, leaves }: Request, expected: Expected): Generator<string> {
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
  if (status > 0 && !leaves && verb !== 'HEAD' && !expected.isForeign && !expected.isAnyEnd && isCut === answer.isWhole)
    yield `the body is whole: ${answer.isWhole}`
}

function* compareError({ status, headers, body }: Answer, expected: Expected): Generator<string> {
  const error = Object(parsed(body)) as Record<string, unknown>
  const { name, message, code, className } = error
  if (!String(headers['content-type']).startsWith('application/json')) yield `content-type ${headers['content-type']}`
  if (typeof name !== 'string' || !matches(name, expected.name ?? names[status])) yield `name ${name}`
  if (typeof message !== 'string' || !matches(message, expected.message)) yield `message ${JSON.stringify(message)}`
  if (code !== status || typeof className !== 'string') yield `code ${code}, className ${className}`
  const others = Object.keys(error).filter((key) => !errorNames.includes(key))
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
