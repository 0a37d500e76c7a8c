/** A request that both servers answer alike. */
export interface Work {
  readonly text: string
  readonly method?: string
  readonly url: string
  readonly status?: number
  readonly body?: string
  readonly isGuarded?: true
  /** The ratio "by hand ÷ ours" that is wanted. */
  readonly wanted?: number
  /** The ratio that was reached, by the version of Node: the tests hold it. */
  readonly held?: Readonly<Record<string, number>>
}

const message = JSON.stringify({ text: 'A new message of a usual length', status: 'open' })

/** By name, in the order of the table. */
export const works: Readonly<Record<string, Work>> = {
  get: { text: 'get', held: { 20: 0.83, 24: 0.8 }, url: '/messages/500', wanted: 0.9 },
  find: {
    text: 'nested find',
    held: { 20: 0.96, 24: 0.94 },
    url: '/messages?status[$ne]=done&$limit=10&$sort[createdAt]=-1',
    wanted: 1
  },
  create: {
    text: 'create',
    held: { 20: 0.84, 24: 0.83 },
    method: 'POST',
    url: '/messages',
    status: 201,
    body: message,
    wanted: 0.9
  },
  page: { text: 'page of ten, with a schema', held: { 20: 0.86, 24: 0.86 }, url: '/pages?$limit=10', wanted: 1 },
  'resource-get': { text: 'get, `resource()`', held: { 20: 0.77, 24: 0.77 }, url: '/checked/500', wanted: 0.88 },
  'resource-create': {
    text: 'create, `resource()`',
    held: { 20: 0.77, 24: 0.76 },
    method: 'POST',
    url: '/checked',
    status: 201,
    body: message,
    wanted: 0.85
  },
  guarded: {
    text: 'get, guarded by a token',
    held: { 20: 0.75, 24: 0.76 },
    url: '/guarded/500',
    isGuarded: true,
    wanted: 0.85
  },
  own: { text: 'the same, with `own`', held: { 20: 0.71, 24: 0.69 }, url: '/owned/500', isGuarded: true },
  allow: { text: 'the same, with `allow`', held: { 20: 0.7, 24: 0.69 }, url: '/allowed/500', isGuarded: true },
  thrown: {
    text: '404 that a method throws',
    held: { 20: 0.84, 24: 0.76 },
    url: '/messages/none',
    status: 404,
    wanted: 0.7
  },
  unknown: { text: 'unknown URL', held: { 20: 0.95, 24: 0.96 }, url: '/nothing/1', status: 404, wanted: 0.95 }
}

/** @throws if there is no such work */
export function workOf(name: string): Work {
  const work = works[name]
  if (work === undefined) throw new Error(`There is no work '${name}': they are ${Object.keys(works).join(', ')}`)
  return work
}

/** The request as text, for a connection that stays open. */
export function toMessage({ method = 'GET', url, body = '', isGuarded }: Work, token: string): string {
  const lines = [`${method} ${url} HTTP/1.1`, 'host: localhost', 'accept: application/json']
  if (isGuarded) lines.push(`authorization: Bearer ${token}`)
  if (body !== '') lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
