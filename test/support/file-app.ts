import multipart, { type FastifyMultipartOptions } from '@fastify/multipart'
import Fastify, { type FastifyServerOptions, type InjectOptions } from 'fastify'
import services, { type ServiceOptions } from 'fastify-services'
import type { Test } from 'tap'
import { toForm } from './form.js'

interface Options {
  schema: unknown
  service?: ServiceOptions
  plugin?: FastifyMultipartOptions | { attachFieldsToBody?: unknown }
  fastify?: FastifyServerOptions
}

export const text = (content: string, name = 'a.txt', type = 'text/plain') => new File([content], name, { type })

/** What a file is, for comparing. */
async function describeFiles(value: unknown): Promise<unknown> {
  if (value instanceof File) return `${value.constructor.name} ${value.name} ${value.type} ${await value.text()}`
  if (Array.isArray(value)) return Promise.all(value.map(describeFiles))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(async ([name, member]) => [name, await describeFiles(member)])
  return Object.fromEntries(await Promise.all(entries))
}

/** A service at `/pictures` whose methods keep what they get, and what sends it forms and JSON. */
export async function createPictures(t: Test, { schema, service, plugin, fastify }: Options) {
  const app = Fastify(fastify)
  t.teardown(() => app.close())
  await app.register(multipart, plugin as FastifyMultipartOptions)
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const calls: unknown[] = []
  const keep = async (...args: unknown[]) => {
    calls.push(args.at(-2))
    return {}
  }
  const object = { create: keep, update: keep, patch: keep, publish: keep }
  app.service('pictures', object, {
    ...service,
    schema: schema as NonNullable<ServiceOptions['schema']>
  })
  const send = async (request: InjectOptions) => {
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/pictures', ...request })
    const { message } = JSON.parse(body)
    const data = calls.splice(0)
    return statusCode < 300
      ? [statusCode, ...((await describeFiles(data)) as unknown[])]
      : [statusCode, message, ...data]
  }
  const post = async (fields: Parameters<typeof toForm>[0], options: InjectOptions = {}) =>
    send({ ...options, ...(await toForm(fields)) })
  return { app, send, post }
}
