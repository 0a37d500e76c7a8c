import assert from 'node:assert/strict'
import type { Child } from './child.js'

export interface Case {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly status: number
  readonly body?: string
}

export const cases: readonly Case[] = [
  { name: 'get', method: 'GET', url: '/messages/500', status: 200 },
  {
    name: 'find',
    method: 'GET',
    url: '/messages?status[$ne]=done&$limit=10&$sort[createdAt]=-1',
    status: 200
  },
  {
    name: 'create',
    method: 'POST',
    url: '/messages',
    status: 201,
    body: JSON.stringify({ text: 'A new message of a usual length', status: 'open' })
  }
]

/** Nobody wins by answering less: every server has to give the same status and body. */
export async function verify({ method, url, status, body }: Case, servers: readonly Child[]): Promise<void> {
  const bodies = new Map<string, string>()
  for (const { name, port } of servers) {
    const init = { method, ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }) }
    const response = await fetch(`http://127.0.0.1:${port}${url}`, init)
    const text = await response.text()
    assert.equal(response.status, status, `${name} answers ${method} ${url} with ${response.status}: ${text}`)
    bodies.set(text, name)
  }
  assert.equal(bodies.size, 1, `${method} ${url} is answered differently: ${JSON.stringify([...bodies])}`)
}
