import './auth-scrypt.js'
import { MemoryService } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import auth, { authenticate, own } from 'fastify-services/authentication'
import { type ClientApplication, createClient, authentication as login, rest } from 'fastify-services/client'
import { type ClientEventsOptions, events } from 'fastify-services/client/events'
import type { Test } from 'tap'
import eventsOfServer from '../../lib/events/index.js'
import { toHash } from './stored-password.js'

export interface Note {
  id: number
  text: string
  user?: number
  kind?: string
}

declare class NoteService {
  find(params?: { query?: object }): Promise<Note[]>
  get(id: number): Promise<Note>
  create(data: Partial<Note>): Promise<Note>
  patch(id: number, data: Partial<Note>): Promise<Note>
  remove(id: number): Promise<Note>
}

export interface SiteServices {
  notes: NoteService
  private: NoteService
  rooms: NoteService
}

export type SiteClient = ClientApplication<SiteServices>

/** A server with public notes, private ones of each user, and two users, `ada` and `bob`, whose password is their name. */
export async function openEventsSite(
  t: Test,
  options: object = {},
  extend = (_app: FastifyInstance) => {},
  before: (app: FastifyInstance) => unknown = () => undefined
) {
  const app = Fastify({ forceCloseConnections: true })
  await before(app)
  await app.register(services)
  await app.register(auth, { secret: 's'.repeat(32), refresh: true })
  app.service('users', new MemoryService({ startId: 1 }) as object, { methods: [] })
  app.service('notes', new MemoryService({ startId: 1, multi: true }) as object)
  app.service('rooms', new MemoryService({ startId: 1 }) as object)
  app.service('private', new MemoryService({ startId: 1 }) as object, {
    hooks: { around: { all: [authenticate('jwt'), own('user')] } }
  })
  await app.register(eventsOfServer, { services: { notes: true, private: true }, ...options })
  extend(app)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  for (const email of ['ada', 'bob']) await app.service('users').create({ email, password: toHash(email) })
  return { app, address, createEventsClient: clientsOf(t, address), createServerNote: serverNotes(app) }
}

const serverNotes = (app: FastifyInstance) => (data: object) =>
  (app.service('notes') as unknown as NoteService).create(data) as Promise<Note>

/** Makes clients of a server, which are closed when the test ends. */
export const clientsOf =
  (t: Test, address: string) =>
  (options: ClientEventsOptions = {}, library: unknown = fetch): SiteClient => {
    const client = createClient<SiteServices>({ logger: false })
      .configure(rest(address).fetch(library as typeof fetch))
      .configure(login())
      .configure(events({ logger: false, ...options }))
    t.teardown(() => client.events.close())
    return client
  }

/** Waits until something holds, which is looked at again and again. */
export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}
