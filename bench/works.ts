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
  get: { text: 'get', url: '/messages/500', wanted: 0.9 },
  find: { text: 'nested find', url: '/messages?status[$ne]=done&$limit=10&$sort[createdAt]=-1', wanted: 1 },
  create: { text: 'create', method: 'POST', url: '/messages', status: 201, body: message, wanted: 0.9 },
  page: { text: 'page of ten, with a schema', url: '/pages?$limit=10', wanted: 1 },
  'resource-get': { text: 'get, `resource()`', url: '/checked/500', wanted: 0.88 },
  'resource-create': {
    text: 'create, `resource()`',
    method: 'POST',
    url: '/checked',
    status: 201,
    body: message,
    wanted: 0.85
  },
  guarded: { text: 'get, guarded by a token', url: '/guarded/500', isGuarded: true, wanted: 0.85 },
  own: { text: 'the same, with `own`', url: '/owned/500', isGuarded: true },
  allow: { text: 'the same, with `allow`', url: '/allowed/500', isGuarded: true },
  thrown: { text: '404 that a method throws', url: '/messages/none', status: 404, wanted: 0.7 },
  unknown: { text: 'unknown URL', url: '/nothing/1', status: 404, wanted: 0.95 }
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
