import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import accepts from 'accepts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const brotli = promisify(brotliCompress)
const encoders = {
  // The best of it takes ten times as long, for a tenth less.
  br: (bytes: Buffer) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify<Buffer, Buffer>(gzip)
}

// In bytes. What is shorter is sent as it is.
const least = 1024

// Far more than there are.
const most = 100

/**
 * Compresses what some routes answer once for each of its versions, and not for each request: pages, scripts and documents that are the same
 * for everybody. Register it before @fastify/compress, which leaves alone what is compressed already.
 * @param below the beginnings of the URLs of these routes
 */
export function compressOnce(app: FastifyInstance, below: readonly string[]): void {
  const bodies = new Map<string, Promise<Buffer>>()

  /** By content: a file has many URLs. */
  function compressed(bytes: Buffer, encoding: keyof typeof encoders): Promise<Buffer> | undefined {
    const key = `${encoding} ${createHash('sha1').update(bytes).digest('base64')}`
    const body = bodies.get(key)
    if (body !== undefined || bodies.size >= most) return body
    const encoded = encoders[encoding](bytes)
    bodies.set(key, encoded)
    return encoded
  }

  app.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const { url = '' } = request.routeOptions
    // Of a file, HEAD has no content.
    const isWhole = reply.statusCode === 200 && (request.method === 'GET' || !(payload instanceof Readable))
    const isText = /^(text|application)\//.test(String(reply.getHeader('content-type')))
    if (!isWhole || !isText || !below.some((beginning) => url.startsWith(beginning))) return payload
    const encoding = (['br', 'gzip'] as const).find((name) => accepts(request.raw).encodings([name]))
    if (encoding === undefined) return payload
    const bytes = payload instanceof Readable ? await buffer(payload) : Buffer.from(payload as string | Buffer)
    const encoded = bytes.length < least ? undefined : compressed(bytes, encoding)
    if (encoded === undefined) return bytes
    const sent = await encoded
    reply.headers({ 'content-encoding': encoding, 'content-length': sent.length })
    const vary = [reply.getHeader('vary')].flat().filter(Boolean)
    reply.header('vary', [...vary, 'accept-encoding'].join(', '))
    return sent
  })
}
