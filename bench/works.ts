import assert from 'node:assert/strict'
import type { Child } from './child.js'

/** A request, and the status of its answer. */
export interface Work {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly body?: string
}

export const works: Readonly<Record<string, Work>> = {
  get: { method: 'GET', url: '/messages/500', status: 200 },
  find: { method: 'GET', url: '/messages?status[$ne]=done&$limit=10&$sort[createdAt]=-1', status: 200 },
  flat: { method: 'GET', url: '/messages?status=open&$limit=10', status: 200 },
  create: {
    method: 'POST',
    url: '/messages',
    status: 201,
    body: JSON.stringify({ text: 'A new message of a usual length', status: 'open' })
  },
  'page-of-10': { method: 'GET', url: '/messages?$limit=10', status: 200 },
  'page-of-1000': { method: 'GET', url: '/messages?$limit=1000', status: 200 },
  missing: { method: 'GET', url: '/messages/none', status: 404 },
  'batch-of-1000': {
    method: 'POST',
    url: '/messages',
    status: 201,
    body: JSON.stringify(Array.from({ length: 1000 }, (_, index) => ({ text: `New message ${index}`, status: 'open' })))
  },
  '404': { method: 'GET', url: '/nothing/1', status: 404 },
  '405': { method: 'POST', url: '/messages/1', status: 405, body: '{}' },
  records: { method: 'GET', url: '/records/10000', status: 200 },
  guarded: { method: 'GET', url: '/messages/500', status: 200 }
}

// How many times the work of a plain `get`, about: it is done so many times less often. `call` and `client-get` are no requests
// to the subject, but its own calls.
const weights: Readonly<Record<string, number>> = {
  find: 2,
  flat: 2,
  'page-of-10': 2,
  'page-of-1000': 50,
  'batch-of-1000': 100,
  '404': 2,
  '405': 2,
  records: 1000,
  call: 0.2
}

export const weightOf = (name: string): number => weights[name] ?? 1

export function workOf(name: string): Work {
  const work = works[name]
  if (work === undefined) throw new Error(`There is no work '${name}'`)
  return work
}

const bodies = new Map<string, { subject: string; text: unknown }>()

/** Nobody wins by answering less: every server has to give the same status and body. */
export async function verify(name: string, subject: string, child: Child): Promise<void> {
  const text = await child.run(name, 1)
  const first = bodies.get(name) ?? { subject, text }
  bodies.set(name, first)
  assert.equal(text, first.text, `${subject} answers '${name}' in another way than ${first.subject}`)
}

/** The headers of a work. All that is guarded gets the same token. */
export function headersOf(name: string, token: string): Record<string, string> {
  const { body } = workOf(name)
  return {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(name === 'guarded' && { authorization: `Bearer ${token}` })
  }
}
