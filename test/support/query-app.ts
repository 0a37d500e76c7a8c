import { METHODS } from 'node:http'
import cors from '@fastify/cors'
import Fastify from 'fastify'
import type { Params } from 'fastify-services'
import { type AdapterOptions, createClient, FetchClient, rest } from 'fastify-services/client'
import type { Test } from 'tap'
import type { Api } from './client-api.js'
import { createHost } from './host.js'
import { claims, forge, now } from './tokens.js'

const isKnown = METHODS.includes('QUERY') && (Fastify().supportedMethods as string[]).includes('QUERY')
export const skip = isKnown ? false : 'Node or Fastify has no QUERY'

export interface Served {
  /** The status of all answers to a QUERY. */
  refusal?: number
  cors?: object
}

/** A server whose services answer with the query that they got. */
export async function serveQueried(t: Test, { refusal, cors: corsOptions = {} }: Served = {}) {
  const requests: string[] = []
  const find = async ({ query }: Params) => ({ query })
  const { app } = await createHost(t, {
    before: async (app) => {
      await app.register(cors, { methods: ['GET', 'QUERY'], exposedHeaders: ['Accept-Query'], ...corsOptions })
      app.addHook('preHandler', async (request, reply) => {
        requests.push(`${request.method} ${request.url.slice(0, 40)}`)
        if (refusal && request.method === 'QUERY') return reply.code(refusal).send({ message: 'refused' })
      })
    },
    after: (app) => {
      app.service('queried', { find, get: async (id: string, { query }: Params) => ({ id, query }) })
      app.service('others', { find, stats: find }, { methods: ['find', 'stats'], routes: { stats: 'GET /stats' } })
    }
  })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const connect = (options?: AdapterOptions, Class = FetchClient) =>
    createClient().configure(rest(base, options).fetch(fetch, Class))
  return { base, requests, connect }
}

/** What a scenario is about: it is sent to pages as text, and knows nothing else. */
export interface Asked {
  base: string
  options: AdapterOptions
  queries: readonly Record<string, unknown>[]
}
/** Asks a service for queries, one after the other, and returns the answers. */
export const ask = async (api: Api, { base, options, queries }: Asked) => {
  const queried = api.connect(base, options).service('queried')
  const answers: unknown[] = []
  for (const query of queries) answers.push(await api.outcome(() => queried.find({ query })))
  return answers
}

export const typed = { age: { $gt: 18 }, city: null, id: { $in: [] }, isOpen: true, text: 'ä😀' }
/** A URL can't say it. */
export const nothing = { id: { $in: [] } }
export const long = { id: { $in: Array.from({ length: 900 }, (_, id) => id) } }
export const inURL = { a: '1' }

/** A token of the user that has expired. */
export const expired = forge(claims({ sub: '0', exp: now() - 1 }), {}, 's'.repeat(32))
