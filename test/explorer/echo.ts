import multipart from '@fastify/multipart'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services, { type Params } from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import type { Test } from 'tap'

/** A call as a service got it. */
export interface Heard {
  readonly name: string
  readonly args: readonly unknown[]
  readonly query: unknown
  readonly route: unknown
  readonly key: unknown
}

const file = { type: 'string', format: 'binary' }
const upload = {
  body: { type: 'object', properties: { title: { type: 'string' }, file } },
  consumes: ['multipart/form-data']
}

/** A server that remembers the calls of its services, by which requests of all forms can be compared. */
export async function openEcho(t: Test) {
  const heard: Heard[] = []
  const method =
    (name: string) =>
    async (...input: unknown[]) => {
      const { query, route, headers } = input.at(-1) as Params
      const args = await Promise.all(input.slice(0, -1).map(toPlain))
      heard.push({ name, args, query, route: { ...Object(route) }, key: headers?.authorization })
      return { name }
    }
  const names = ['find', 'get', 'create', 'update', 'patch', 'remove', 'share', 'archive', 'stats']
  const object = () => Object.fromEntries(names.map((name) => [name, method(name)]))
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Echo', version: '1.0.0' } }))
  await app.register(multipart)
  await app.register(services)
  const options = { methods: names, routes: { share: 'POST /:id/share/:place', stats: 'GET /all/stats' } }
  app.service('echo', object(), options as object)
  app.service('rooms/:room/echo', object(), { methods: names.slice(0, 6) } as object)
  app.service('files', { create: method('create') }, { schema: { create: upload } } as object)
  const base = await app.listen({ port: 0, host: '127.0.0.1' })

  /** What the server hears while something is done. */
  async function hear(act: () => Promise<unknown>): Promise<readonly Heard[]> {
    heard.length = 0
    await act()
    return [...heard]
  }
  return { document: app.swagger(), base, hear }
}

/** Data that can be compared: of files, what is in them. */
async function toPlain(value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields = Object.entries(value).map(async ([name, part]) => [
    name,
    part instanceof File ? [part.name, part.type, await part.text()] : part
  ])
  return Object.fromEntries(await Promise.all(fields))
}
