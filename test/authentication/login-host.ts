import '../support/auth-scrypt.js'
import Fastify, { type FastifyInstance } from 'fastify'
import plugin, { Forbidden, type HookContext, NotFound, type Params } from 'fastify-services'
import authentication, { type AuthenticationOptions, memoryStore } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { toHash } from '../support/stored-password.js'
import { secret } from '../support/tokens.js'
import { tame } from './outcomes.js'

export const password = 'a long secret'
export type User = Record<string, unknown>

/** Params as they can be compared: all but the headers, and whether the client of a request is in them, by its symbol. */
const shownParams = ({ headers, route, ...params }: Params) => ({
  ...params,
  ...(Object.getOwnPropertySymbols(params).some(({ description }) => description === 'caller') && { caller: true })
})

/** Users that note what they are asked. */
function createUsers(seen: unknown[]) {
  const users: User[] = [
    { id: 1, email: 'ada@example.com', password: toHash(password, { ln: 14, p: 5 }), role: 'admin' },
    { id: 2, email: 'bob@example.com', password: toHash(password), role: 'guest' },
    { id: 3, email: 'no hash' },
    { id: 4, email: 'no string', password: 5 },
    { email: 'no id', password: toHash(password) },
    { id: 1024, email: 'twice', password: toHash(password) },
    { id: 5, email: 'twice', password: toHash(password) },
    { id: 6, email: 'locked', password: toHash(password) }
  ]
  return {
    async find(params: Params) {
      seen.push(['find', shownParams(params)])
      const matches = users.filter((user) =>
        Object.entries(params.query ?? {}).every(([name, value]) => name[0] === '$' || user[name] === value)
      )
      return params.paginate === false ? matches : { total: matches.length, limit: 10, skip: 0, data: matches }
    },
    async get(id: unknown, params: Params) {
      seen.push(['get', id, shownParams(params)])
      if (id === '6' && params.provider === undefined) throw new Forbidden('Locked', { password: 'x', why: 'y' })
      const confirmed =
        users.find((user) => [String(user.id), user.email].includes(String(id))) ??
        (id === 'first' ? users[0] : undefined)
      if (confirmed === undefined) throw new NotFound(`No record found for id '${id}'`)
      return { ...confirmed }
    },
    async patch(id: unknown, data: object, params: Params) {
      seen.push(['patch', id, data, shownParams(params)])
      if (id === 5) throw new Error('The database is down')
      return { id, ...data }
    }
  }
}

export interface LoginHostOptions extends Partial<AuthenticationOptions> {
  prefix?: string
}

/** An application whose logins note everything that they do. */
export async function createLoginHost(t: Test, { prefix = '', ...options }: LoginHostOptions = {}) {
  const seen: unknown[] = []
  const write = (line: string) => {
    const { level, msg, err } = JSON.parse(line)
    seen.push(['log', level, msg, ...(err ? [err.type, err.message] : [])])
  }
  const app = Fastify({ forceCloseConnections: true, logger: { level: 'warn', stream: { write } } })
  t.teardown(() => app.close())
  await app.register(plugin)
  app.service(options.service ?? 'users', createUsers(seen))
  const inner = memoryStore()
  const store = {
    get(key: string) {
      seen.push(['store.get', key])
      return inner.get(key)
    },
    set(key: string, value: string, seconds: number) {
      seen.push(['store.set', key, value, seconds])
      return inner.set(key, value, seconds)
    }
  }
  const setPayload = async (context: HookContext) => {
    const payload = (context.params.headers as Record<string, string> | undefined)?.['x-payload']
    if (payload !== undefined) context.params.payload = JSON.parse(payload)
  }
  const path = options.path ?? 'authentication'
  const add = async (app: FastifyInstance) => {
    await app.register(authentication, {
      secret,
      store,
      hooks: { before: { create: [setPayload] } },
      ...options
    } as AuthenticationOptions)
    const service = app.service<{
      create(data: unknown, params?: object): unknown
      remove(id: unknown, params?: object): unknown
    }>(path)
    for (const event of ['login', 'logout'])
      service.on(event, (data: object, context: HookContext) =>
        seen.push([`event ${event}`, Object.keys(data).sort().join(), context.method])
      )
    return service
  }
  const services: Awaited<ReturnType<typeof add>>[] = []
  await app.register(async (child) => void services.push(await add(child)), { prefix })
  await app.ready()
  const flush = () => tame(seen.splice(0))
  flush()
  const [service] = services as [(typeof services)[0]]
  return { app, service, flush, url: `${prefix}/${path}`.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '') }
}

export type LoginHost = Awaited<ReturnType<typeof createLoginHost>>

interface Request {
  method?: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE'
  url?: string
  headers?: Record<string, string>
  payload?: unknown
}

const told = ['allow', 'cache-control', 'www-authenticate', 'location', 'retry-after', 'vary']

/** What a request is answered, and what happens beside: `[status, headers, body, ...seen]`. */
export async function send(
  { app, flush, url }: LoginHost,
  { payload, headers, ...request }: Request
): Promise<{ row: unknown; body: User }> {
  const response = await app.inject({
    ...{ method: 'POST', url, ...request },
    headers: { accept: 'application/json', ...headers },
    ...(payload !== undefined && { payload: payload as object })
  })
  const headerLines = told
    .filter((name) => name in response.headers)
    .map((name) => `${name}: ${response.headers[name]}`)
  const body = response.body === '' ? {} : response.json()
  const { name, message, code, className, ...rest } = body
  const isError = code === response.statusCode && className !== undefined
  return {
    body,
    row: [
      response.statusCode,
      headerLines.join(' '),
      isError ? [`${name}: ${message}`, ...Object.entries(rest)] : tame(body),
      ...(flush() as unknown[])
    ]
  }
}
