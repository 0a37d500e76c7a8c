import { Conflict, type HookContext } from 'fastify-services'

/** What a place does: it throws, or returns. */
export type Act = (context?: HookContext) => unknown

const fail = (value: unknown) => () => {
  throw value
}
export const circular: Record<string, unknown> = {}
circular.self = circular
const shaped = { name: 'Conflict', code: 409, className: 'conflict' }
const trap = (key: string, error: object = new Error('broken')) =>
  Object.defineProperty(error, key, { enumerable: true, get: fail(new Error('trap')) })

/** Values that may be thrown, or be where another is expected. */
const values: Record<string, unknown> = {
  ...{ 'a string': 'broken', 'an empty string': '', 'a number': 42, NaN: Number.NaN, true: true, 'a BigInt': 1n },
  ...{ null: null, undefined, 'an object': {}, 'an object without a prototype': Object.create(null), 'a list': [[1]] },
  ...{ 'a symbol': Symbol('x'), 'a function': () => {}, 'a cycle': circular, 'a date': new Date(0) },
  'an object whose toString throws': { toString: fail(new Error('trap')), toJSON: fail(new Error('trap')) },
  'a proxy that throws': new Proxy({}, { get: fail(new Error('trap')), getPrototypeOf: fail(new Error('trap')) })
}

/** Whatever is thrown is 500 GeneralError. */
export const thrown: Record<string, Act> = {
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fail(value)])),
  'a frozen error': fail(Object.freeze(new Error('x'))),
  'an error of code 11000': fail(Object.assign(new Error('broken'), { code: 11000 })),
  'an error of code ENOENT': fail(Object.assign(new Error('broken'), { code: 'ENOENT' })),
  'an error of code 200': fail(Object.assign(new Error('broken'), { code: 200 })),
  'an error of status 200': fail(Object.assign(new Error('broken'), { statusCode: 200 })),
  'an error of status 409.5': fail(Object.assign(new Error('broken'), { statusCode: 409.5 })),
  'an error with headers': fail(
    Object.assign(new Error('x'), { headers: { 'set-cookie': 'owned=1', 'x\r\n': 'a\r\nb' } })
  ),
  ...Object.fromEntries(
    ['data', 'errors', 'message', 'code', 'statusCode', 'stack', 'name', 'cause', 'headers', 'toJSON', 'other'].map(
      (key) => [`an error with a getter that throws: ${key}`, fail(trap(key))]
    )
  )
}

const fields = ['message', 'name', 'code', 'className', 'data', 'errors', 'stack', 'toJSON', 'cause', 'statusCode']

/** Errors of services with a field of an odd type: of another package, told by its shape, and of our own class. */
export const oddErrors: Record<string, Act> = Object.fromEntries(
  fields.flatMap((field) =>
    [() => Object.assign(new Error('broken'), shaped), () => new Conflict('broken')].flatMap((error, index) => {
      const kind = index === 0 ? 'shape' : 'class'
      const odd = Object.entries(values).map(([name, value]): [string, Act] => [
        `${field} by ${kind}, ${name}`,
        fail(Object.defineProperty(error(), field, { value, enumerable: true, writable: true, configurable: true }))
      ])
      return [...odd, [`${field} by ${kind}, a getter that throws`, fail(trap(field, error()))] as [string, Act]]
    })
  )
)

const http =
  (change: unknown): Act =>
  (context) => {
    if (context) context.http = change as HookContext['http']
  }

/** What hooks may have put where the status and the headers are read. */
export const replies: Record<string, Act> = {
  'a header with CR/LF': http({ headers: { 'x-bad': 'a\r\nSet-Cookie: owned=1' } }),
  'a header with LF': http({ headers: { 'x-bad': 'a\nSet-Cookie: owned=1' } }),
  'a header with NUL': http({ headers: { 'x-bad': 'a\0' } }),
  'a header with an emoji': http({ headers: { 'x-bad': '💥' } }),
  'a header in a list with CR/LF': http({ headers: { 'x-bad': ['a', 'a\r\nSet-Cookie: owned=1'] } }),
  'an illegal name': http({ headers: { 'x bad': 'a' } }),
  'a name with CR/LF': http({ headers: { 'x\r\nSet-Cookie: owned=1': 'a' } }),
  'an empty name': http({ headers: { '': 'a' } }),
  'a getter that throws': http({ headers: trap('x-bad', {}) }),
  ...Object.fromEntries(
    [99, 100, 199, 600, 1000, -1, 200.5, 'abc', '200', {}, true].map((status) => [
      `the status ${JSON.stringify(status)}`,
      http({ status })
    ])
  )
}

/** Results that are no JSON: 500, without the engine's words. */
export const results: Record<string, Act> = {
  'a BigInt': () => ({ big: 1n }),
  'a BigInt alone': () => 1n,
  'a cycle': () => circular,
  'a getter that throws': () => trap('x', {}),
  'a proxy that throws': () => new Proxy({}, { ownKeys: fail(new Error('trap')) }),
  'a toJSON that gives nothing': () => ({ toJSON: () => undefined }),
  'a toJSON that gives a BigInt': () => ({ toJSON: () => 1n }),
  'a symbol': () => Symbol('x'),
  'a function': () => () => {},
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`a toJSON that throws ${name}`, () => ({ toJSON: fail(value) })])
  )
}

/** All of them, by the name that a path has for them. */
export const acts: Record<string, Record<string, Act>> = { thrown, 'odd-errors': oddErrors, replies, results }
