import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import multipart from '@fastify/multipart'
import Fastify from 'fastify'
import services, { resource, type ServiceOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import * as z from 'zod'
import { createPictures, text } from '../../support/file-app.js'
import { toForm, toParts } from '../../support/form.js'

const body = { type: 'object', properties: { file: { type: 'string', format: 'binary' }, title: { type: 'string' } } }
const schema = { create: { body } }
const got = 'File a.txt text/plain hello'

async function start(t: Test, contentTypes: unknown, register?: (app: ReturnType<typeof Fastify>) => void) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service(
    'pictures',
    { create: async () => ({}) },
    { schema: contentTypes as NonNullable<ServiceOptions['schema']> }
  )
  register?.(app)
  return app.ready()
}

t.test('a server that can not read files does not start', async (t) => {
  const message = /^pictures.create takes files \(file\): register @fastify\/multipart before the service/
  await t.rejects(start(t, schema), { message })
  await t.rejects(start(t, resource(body)), { message })
  await t.rejects(start(t, { create: { body: z.object({ file: z.file() }) } }), { message })
  await t.rejects(
    start(t, schema, (app) => app.register(multipart)),
    { message },
    'too late'
  )
  await t.resolves(start(t, { create: { body: { type: 'object', properties: { title: { type: 'string' } } } } }))
  await t.resolves(start(t, { create: { body: true } }))
})

t.test('a route that takes files says what it consumes, as documents do, unless its schema does', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const seen: unknown[] = []
  app.addHook('onRoute', (route) => void (route.method === 'POST' && seen.push(Object(route.schema).consumes)))
  await app.register(multipart)
  await app.register(services)
  const service = { create: async () => ({}) }
  app.service('a', service, { schema })
  app.service('b', service, { schema: { create: { body, consumes: ['multipart/mixed'] } } })
  await app.ready()
  const [limited, contentTypes] = [['multipart/form-data'], ['multipart/mixed']]
  t.same(seen, [limited, contentTypes])
})

t.test('limits: of the plugin, of a service, and of the whole form', async (t) => {
  const file = text('hello')
  const small = await createPictures(t, { schema, plugin: { limits: { fileSize: 4 } } })
  t.strictSame(await small.post({ file }), [413, 'file is too large: request file too large'])
  const silent = { limits: { fileSize: 4 }, throwFileSizeLimit: false }
  t.match(await (await createPictures(t, { schema, plugin: silent })).post({ file }), [413], 'nothing is cut')
  const limited = { config: { multipartOptions: { limits: { fileSize: 5 } } } } as ServiceOptions
  const raised = await createPictures(t, { schema, plugin: { limits: { fileSize: 4 } }, service: limited })
  t.strictSame(await raised.post({ file }), [201, { file: got }])
  const whole = await createPictures(t, { schema, service: { bodyLimit: 100 } })
  t.strictSame(await whole.post({ file }), [413, 'The form is larger than 100 bytes, its `bodyLimit`'])
  const form = await toForm({ file })
  const bodyLimit = Number((form.payload as Buffer).length)
  for (const [less, status] of [
    [0, 201],
    [1, 413]
  ] as const) {
    const exact = await createPictures(t, { schema, service: { bodyLimit: bodyLimit - less } })
    t.match(await exact.send(form), [status])
  }
  const parts = await createPictures(t, { schema, plugin: { limits: { parts: 1 } } })
  t.strictSame(await parts.post({ file, title: 'a' }), [413, 'The form is too large: reach parts limit'])
  const fields = await createPictures(t, { schema, plugin: { limits: { fieldSize: 3 } } })
  t.strictSame(await fields.post({ title: 'long' }), [413, 'title is too large'])
})

t.test('a client that still sends gets the answer of a refused form', async (t) => {
  // Larger than what the buffers of a connection hold, so that the client is still sending.
  const large = text('x'.repeat(8 * 2 ** 20))
  const rows: [
    limits: object,
    form: Record<string, File | string | (File | string)[]>,
    status: number,
    message: RegExp
  ][] = [
    [{ files: 1, fileSize: 2 ** 24 }, { file: [text('a'), large] }, 413, /reach files limit/],
    [{ parts: 1, fileSize: 2 ** 24 }, { title: 'a', file: large }, 413, /reach parts limit/],
    [{ fields: 1, fileSize: 2 ** 24 }, { title: ['a', 'b'], file: large }, 413, /reach fields limit/],
    [{ fieldSize: 2, fileSize: 2 ** 24 }, { title: 'abc', file: large }, 413, /title is too large/],
    [{ fileSize: 4 }, { file: large }, 413, /file is too large/],
    [{ fileSize: 2 ** 24 }, { title: large }, 400, /title can not be a file/]
  ]
  for (const [limits, fields, status, message] of rows) {
    const { app } = await createPictures(t, { schema, plugin: { limits }, service: { bodyLimit: 2 ** 24 } })
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/pictures`
    const form = new FormData()
    for (const [name, values] of Object.entries(fields))
      for (const value of [values].flat()) form.append(name, value as string)
    const response = await fetch(url, { method: 'POST', body: form, headers: { accept: 'application/json' } })
    t.equal(response.status, status, String(message))
    t.match(await response.json(), { message })
  }
})

t.test('the connection of a form that nobody reads to its end is closed', async (t) => {
  const { app } = await createPictures(t, { schema, service: { bodyLimit: 100 } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 1000 }
  const sent = request({ port, method: 'POST', path: '/pictures', headers, agent: new Agent({ keepAlive: true }) })
  t.teardown(() => sent.destroy())
  sent.write('--x\r\n')
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  t.strictSame([response.statusCode, response.headers.connection], [413, 'close'])
})

t.test('a body of zod for a host that validates by it', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(multipart, { attachFieldsToBody: true })
  await app.register(services)
  app.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
    const { data: value, error } = schema.safeParse(data)
    return error ? { error } : { value }
  })
  const create = async ({ file, width }: { file: File; width: number }) => ({ name: file.name, width })
  const body = z.object({ file: z.file(), width: z.coerce.number() })
  app.service('pictures', { create }, { schema: { create: { body } } })
  const form = new FormData()
  form.append('file', text('hello'))
  form.append('width', '18')
  const response = await fetch(`${await app.listen({ port: 0, host: '127.0.0.1' })}/pictures`, {
    method: 'POST',
    body: form
  })
  t.strictSame(await response.json(), { name: 'a.txt', width: 18 })
})

t.test('calls of the server pass files too, and files do not leave', async (t) => {
  const records = resource({ ...body, properties: { ...body.properties, id: { type: 'integer' } } })
  t.strictSame(Object.keys(records.get.response.properties as object), ['title', 'id'])
  const { app, send } = await createPictures(t, { schema: records })
  const file = text('hello')
  const seen: unknown[] = []
  app.service('pictures').on('created', (_result, context) => seen.push(context.data))
  await app.service('pictures').create({ file })
  t.strictSame(seen, [{ file }])
  t.match(await send({ method: 'POST', url: '/pictures?file=a', payload: {} }), [400, /file/])
})

t.test('a part without a name is refused as such', async (t) => {
  const { send } = await createPictures(t, { schema })
  const file = ['name="file"; filename="a.txt"', 'hello', 'text/plain'] as const
  for (const nameless of [
    ['x="1"', 'a text'],
    ['filename="a.txt"', 'hello', 'text/plain']
  ] as const) {
    t.strictSame(await send(toParts(nameless, file)), [400, 'A part of the form has no name'])
    t.strictSame(await send(toParts(file, nameless)), [400, 'A part of the form has no name'])
  }
  t.strictSame(await send(toParts(file)), [201, { file: got }])
})
