import multipart from '@fastify/multipart'
import type { FastifyInstance, InjectOptions } from 'fastify'
import t from 'tap'
import * as z from 'zod'
import { isKept } from '../support/kept.js'
import { ask, create, names, seen } from './seen-service.js'

// Which routes take forms with files, and what becomes of them.

const shown = (_name: string, value: unknown) =>
  value instanceof File ? `${value.name} of ${value.type}, ${value.size} bytes` : value
/** Notes what a service was called with, where files are told in a few words. */
const keep = async (...args: unknown[]) => {
  seen.push(JSON.parse(JSON.stringify(args.slice(0, -1), shown)))
  return null
}
const object = Object.fromEntries(['find', ...names].map((name) => [name, keep]))
const createWith = (schema: unknown, host?: (app: FastifyInstance) => unknown, plugin?: object) =>
  create(object, schema, host, (app) => plugin && app.register(multipart, plugin))

const form = (payload: string, type = 'application/x-www-form-urlencoded') => ({
  headers: { 'content-type': type },
  payload
})
const toRequest = (payload: unknown) => form(JSON.stringify(payload), 'application/json')

const file = { type: 'string', format: 'binary' }
const picture = {
  type: 'object',
  required: ['file'],
  properties: { title: { type: 'string' }, file, more: { type: 'array', items: file } }
}
const part = (name: string, content: string, name2 = '') =>
  `--x\r\ncontent-disposition: form-data; name="${name}"${name2 && `; filename="${name2}"`}\r\n\r\n${content}\r\n`

t.test('forms with files', async (t) => {
  const rows: Record<string, unknown> = {}
  const start = (schema: object, plugin?: object, host?: (app: FastifyInstance) => unknown) =>
    createWith(schema, host, plugin)
      .then((app) => app.ready())
      .then(
        () => 'fine',
        (error) => error.message
      )
  for (const name of ['find', ...names]) rows[`without a plugin: ${name}`] = await start({ [name]: { body: picture } })
  rows['half a plugin'] = await start({ create: { body: picture } }, undefined, (app) =>
    app.decorateRequest('parts', null as never)
  )
  rows['the other half'] = await start({ create: { body: picture } }, undefined, (app) =>
    app.addContentTypeParser('multipart/form-data', Boolean as never)
  )
  rows['a library'] = await start({ create: { body: z.object({ file: z.file() }) } })
  rows['a plugin'] = await start({ create: { body: picture } }, {})
  const app = await createWith(
    {
      create: { body: picture, summary: 'Own' },
      patch: { body: { ...picture, required: [] } },
      publish: { body: picture }
    },
    Boolean,
    {}
  )
  const whole = `${part('title', 'A')}${part('file', 'abc', 'a.txt')}${part('more', 'b', 'b.txt')}--x--\r\n`
  const type = 'multipart/form-data; boundary=x'
  const requests: Record<string, InjectOptions> = {
    form: form(whole, type),
    'in capitals': form(whole, 'Multipart/Form-Data; boundary=x'),
    patch: { ...form(whole, type), method: 'PATCH', url: '/in/1' },
    publish: { payload: whole, headers: { 'content-type': type, 'x-service-method': 'publish' } },
    update: { ...form(whole, type), method: 'PUT', url: '/in/1' },
    'without the file': form(`${part('title', 'A')}--x--\r\n`, type),
    'a text for a file': form(`${part('file', 'A')}--x--\r\n`, type),
    'a file for a text': form(`${part('title', 'A', 'a.txt')}${part('file', 'abc', 'a.txt')}--x--\r\n`, type),
    JSON: toRequest({ title: 'A' }),
    'JSON with a text for a file': toRequest({ file: 'A' }),
    'JSON in a list': toRequest([{ file: 'A' }]),
    'no file, patch': { ...toRequest({ title: 'A' }), method: 'PATCH', url: '/in/1' }
  }
  for (const [name, request] of Object.entries(requests)) rows[name] = await ask(app, request)
  isKept(t, rows, 'test/server/whole-bodies-files.txt')
})
