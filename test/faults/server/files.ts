import multipart, { type FastifyMultipartOptions } from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { resource } from 'fastify-services'
import { called } from './control.js'

const file = { type: 'string', format: 'binary' }
const body = { type: 'object', properties: { title: { type: 'string' }, file, more: { type: 'array', items: file } } }

/** Services that take files, on hosts that read forms in several ways. Their hooks and methods read no file. */
export async function registerFiles(app: FastifyInstance): Promise<void> {
  for (const [path, attachFieldsToBody] of [
    ['streamed', undefined],
    ['attached', true],
    ['values', 'keyValues']
  ])
    await app.register(async (child) => {
      const limits = { fileSize: 1000, fieldSize: 500, parts: 20 }
      await child.register(multipart, { limits, attachFieldsToBody } as FastifyMultipartOptions)
      const create = async () => {
        called('create', null)
        return {}
      }
      child.service(String(path), { create }, { schema: resource(body), bodyLimit: 5000 })
    })
}
