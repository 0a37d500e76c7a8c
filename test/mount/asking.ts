import type { IncomingMessage } from 'node:http'
import { AuthenticationBaseStrategy } from '@feathersjs/authentication'
import { NotFound } from '@feathersjs/errors'
import type { FastifyInstance } from 'fastify'
import { told } from '../core/told.js'

const shown = ({ headers: _, ...params }: Record<string, unknown>) => told(params)
/** What a service was called with, without the headers. */
export const mirror = {
  find: async (params: object) => shown({ ...params }),
  get: async (id: unknown, params: object) => ({ id, params: shown({ ...params }) }),
  create: async (data: unknown, params: object) => ({ data, params: shown({ ...params }) }),
  update: async (id: unknown, data: unknown) => ({ id, data }),
  patch: async (id: unknown, data: unknown) => ({ id, data }),
  remove: async (id: unknown) => ({ id }),
  archive: async (data: unknown) => [data, 'archived']
}
/** Credentials by a header, read and checked by a strategy of Feathers. */
export class ApiKey extends AuthenticationBaseStrategy {
  async parse({ headers }: IncomingMessage) {
    return headers['x-key'] ? { strategy: this.name ?? 'none', key: headers['x-key'] } : null
  }
  async authenticate({ key }: { key?: string }) {
    if (key !== 'good') throw new NotFound('No such key')
    return { authentication: { strategy: 'api-key' }, machine: 'a', ours: 'overwritten' }
  }
}

export const key = { 'x-key': 'good' }

export type Row = [
  verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  data?: unknown,
  headers?: Record<string, string>
]

const headersOf = ['location', 'allow', 'x-thing', 'www-authenticate', 'content-type']

/** The status, some headers and the body of an answer. */
export async function ask(app: FastifyInstance, [method, url, data, headersSent]: Row) {
  const headers = {
    accept: 'application/json',
    ...(data !== undefined && { 'content-type': 'application/json' }),
    ...headersSent
  }
  const payload = data === undefined ? {} : { payload: JSON.stringify(data) }
  const { statusCode, headers: answerHeaders, body } = await app.inject({ method, url, headers, ...payload })
  const isJSON = answerHeaders['content-type'] === 'application/json; charset=utf-8'
  const named = headersOf.filter((name) => answerHeaders[name] !== undefined && !(isJSON && name === 'content-type'))
  return [
    statusCode,
    Object.fromEntries(named.map((name) => [name, answerHeaders[name]])),
    isJSON ? JSON.parse(body) : body
  ]
}
