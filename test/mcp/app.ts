import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import services, { idempotency, resource } from '../../index.js'
import authentication, { allow, own } from '../../lib/authentication/index.js'
import mcp, { type McpOptions } from '../../lib/mcp/index.js'
import { MemoryService, memory } from '../../lib/memory/index.js'
import { tokenFor } from '../../lib/testing/index.js'
import type { Id, Params } from '../../types/service.js'

const properties = {
  id: { type: 'integer' },
  title: { type: 'string', maxLength: 40 },
  year: { type: 'integer' }
} as const
const book = { type: 'object', title: 'Book', required: ['id', 'title'], properties } as const
const note = {
  type: 'object',
  required: ['id', 'text'],
  properties: { id: { type: 'integer' }, text: { type: 'string' }, userId: { type: 'integer' } }
} as const
const issue = {
  type: 'object',
  required: ['id', 'text'],
  properties: {
    id: { type: 'integer' },
    projectId: { type: 'string' },
    text: { type: 'string' },
    closed: { type: 'boolean' }
  }
} as const

class Issues extends MemoryService {
  close(id: Id, _data: unknown, params?: Params) {
    return this.patch(id, { closed: true }, params)
  }
}

export const everything = [
  'books',
  'books.update',
  'books.remove',
  'books.createMany',
  'books.removeMany',
  'notes',
  'notes.remove',
  'projects/:projectId/issues',
  'projects/:projectId/issues.close',
  'countries',
  'users.get'
]

/** The `params.mcp` of calls of books. */
export const marks: unknown[] = []

/** Creates an application with services for admins, members and everybody. */
export function createApp(options: Partial<McpOptions> = {}, before?: (app: FastifyInstance) => void) {
  const app = Fastify()
  return app
    .register(services, { errorHandler: { html: false } })
    .register(authentication, { secret: 'x'.repeat(40), guard: 'jwt', public: ['countries'] })
    .register(async (app) => {
      app.service(
        'users',
        memory({
          records: [
            { id: 1, role: 'admin' },
            { id: 2, role: 'member' },
            { id: 3, role: 'other' }
          ]
        })
      )
    })
    .after(() => {
      const around = [
        allow({ admin: true, member: { find: true, get: true, create: true, patch: ['title'] } }),
        idempotency()
      ]
      app.service('books', memory({ paginate: { default: 2, max: 50 }, multi: true }), {
        schema: resource(book, { readOnly: ['id'] }),
        hooks: {
          around: { all: around },
          before: { all: [({ params }) => void marks.push(params.mcp)] }
        }
      })
      app.service(
        'notes',
        memory({
          records: [
            { id: 1, text: 'of 1', userId: 1 },
            { id: 2, text: 'of 2', userId: 2 }
          ]
        }),
        {
          schema: resource(note, { readOnly: ['id', 'userId'] }),
          hooks: { around: { all: [own('userId')] } }
        }
      )
      app.service('projects/:projectId/issues', new Issues({ records: [{ id: 1, projectId: 'a', text: 'Slow' }] }), {
        schema: resource(issue, { readOnly: ['id'], methods: { close: { route: 'POST /:id/close' } } })
      })
      app.service('countries', {
        async find() {
          return ['France', 'Italy']
        }
      })
      before?.(app)
    })
    .register(mcp, { services: everything, ...options })
}

export type App = ReturnType<typeof createApp>

/** Starts an application, and returns its URL. */
export async function start(t: Test, app: FastifyInstance): Promise<URL> {
  t.teardown(() => app.close())
  return new URL('/mcp', await app.listen({ port: 0, host: '127.0.0.1' }))
}

export const modes = ['legacy', { pin: '2026-07-28' }] as const

interface Connection {
  readonly token?: string | undefined
  readonly mode?: (typeof modes)[number]
  readonly options?: ClientOptions
}

/** Connects a client of the SDK. */
export async function connect(
  t: Test,
  url: URL,
  { token, mode = modes[1], options }: Connection = {}
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  t.teardown(() => client.close())
  return client
}

/** Returns the token of a user by their role. */
export const tokenOf = (app: FastifyInstance, role: 'admin' | 'member' | 'other') =>
  tokenFor(app, { admin: 1, member: 2, other: 3 }[role])

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {}
}

/** Sends a message without a client. */
export async function post(app: FastifyInstance, message: object, headers: Record<string, string> = {}) {
  const { method, params } = { params: {}, ...message } as { method: string; params: { name?: string; _meta?: object } }
  return app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
      ...headers
    },
    payload: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...meta, ...params._meta } } }
  })
}

/** Calls a tool without a client. */
export const callTool = (app: FastifyInstance, name: string, given: object, headers: Record<string, string> = {}) =>
  post(app, { method: 'tools/call', params: { name, arguments: given } }, headers)
