import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  preParsingAsyncHookHandler,
  preParsingHookHandler,
  preValidationHookHandler
} from 'fastify'
import type { JsonSchema } from '../../../types/resource.js'
import { isMultipart } from '../../core/content.js'
import { attempt, BadRequest, PayloadTooLarge, UnsupportedMediaType } from '../../core/errors.js'
import { checkFiles, type Files, filesOf, withoutFiles } from '../../core/resource/files.js'
import { refusal } from '../../core/resource/issues.js'
import { readJsonSchema } from '../../core/resource/json-schema.js'
import { standardOf } from '../../core/resource/standard-schema.js'
import { maxDepth } from '../../schema/body-names.js'
import type { Parse } from './query.js'
import { requestStateOf } from './request.js'

/** The types of formats that are written in JSON: `application/vnd.api+json`. */
const jsonOfFormats = /^application\/[^\s;+]+\+json(\s*;|$)/i

/**
 * Registers the body parsers of a service's routes: JSON and urlencoded replace the inherited ones,
 * other parsers of the application (multipart, XML) stay.
 */
export function registerBodyParsers(instance: FastifyInstance, parse: Parse): void {
  instance.removeContentTypeParser(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])
  const json = instance.getDefaultJsonParser('error', 'error')
  for (const type of ['application/json', jsonOfFormats])
    instance.addContentTypeParser<string>(type, { parseAs: 'string' }, (request, body, done) => {
      // Clients send the content type with calls without a body too, which is no error.
      if (body.length === 0) done(null, undefined)
      else if (isNestedDeep(body)) done(new BadRequest(`The data is nested more than ${maxDepth} deep`))
      else json(request, body, done)
    })
  const form = 'application/x-www-form-urlencoded'
  instance.addContentTypeParser<Buffer>(form, { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body.length === 0 ? undefined : parse(body.toString()))
  })
}

/**
 * Whether JSON is too deep for a service: hooks, libraries and `JSON.stringify` call themselves for
 * each level, and the stack ends after some thousands.
 */
function isNestedDeep(text: string): boolean {
  // Each level has a bracket at both ends. Few texts have so many.
  if (text.length <= 2 * maxDepth) return false
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string
    if (isInString && character === '\\') index++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth > maxDepth) return true
  }
  return false
}

/**
 * The types that the parsers above read. Other parsers of the application may decode bodies
 * themselves.
 */
const readHere = /^application\/(json|x-www-form-urlencoded|[^\s;+]+\+json)\s*(;|$)/i

/**
 * Answers 415 for a body that is compressed, unless a hook of the application, such as that of
 * `@fastify/compress`, has put the decoded one in its place.
 */
export const refuseEncoded: preParsingHookHandler = (request, reply, payload, done) => {
  const { 'content-encoding': encoding = '', 'content-type': type = '' } = request.headers
  if (/^\s*(identity)?\s*$/i.test(encoding) || payload !== request.raw || !readHere.test(type)) return done()
  reply.header('accept-encoding', 'identity')
  done(new UnsupportedMediaType(`Bodies are not read with the content encoding '${encoding}': send it without`))
}

/**
 * What a route has whose body has files: it reads a form before the body is validated, checks the
 * files, and leaves the rest to the schema. Nothing for others.
 *
 * @param name of the method, as in `pictures.create`
 * @throws when `@fastify/multipart` is missing
 */
export function fileRoute(name: string, schema: FastifySchema | undefined, instance: FastifyInstance, parse: Parse) {
  const { body } = schema ?? {}
  const isLibrary = standardOf(body) !== undefined
  const json = ((isLibrary ? attempt(() => readJsonSchema(body, 'input').document) : body) ?? {}) as JsonSchema
  const files = filesOf(json)
  if (files.size === 0) return undefined
  if (!instance.hasRequestDecorator('parts') || !instance.hasContentTypeParser('multipart/form-data'))
    throw new Error(
      `${name} takes files (${[...files.keys()].join(', ')}): register @fastify/multipart before the service, ` +
        'by `await app.register(multipart)`'
    )
  const read: preParsingAsyncHookHandler = async (request, reply) => {
    if (!isMultipart(String(request.headers['content-type']))) return
    requestStateOf(request).form = { data: await readForm(request, reply, files, parse) }
  }
  const check: preValidationHookHandler = (request, _reply, done) => {
    const { form } = requestStateOf(request)
    if (form !== undefined) request.body = form.data
    checkFiles(files, request.body)
    done()
  }
  // A library knows files itself.
  const checkedSchema = { ...schema, ...(!isLibrary && { body: withoutFiles(json) }) }
  return { read, check, schema: { consumes: ['multipart/form-data'], ...checkedSchema } as FastifySchema }
}

/** A part of a form as `@fastify/multipart` gives it. */
type Part =
  | { type: 'field'; fieldname: string | undefined; value: unknown; valueTruncated: boolean }
  | {
      type: 'file'
      fieldname: string | undefined
      filename: string | undefined
      mimetype: string
      file: { resume(): unknown }
      toBuffer(): Promise<Buffer<ArrayBuffer>>
    }

/** What `@fastify/multipart` adds to a request. */
type FormRequest = FastifyRequest & { parts(options: object): AsyncIterable<Part>; isMultipart(): boolean }

/**
 * Reads a form with files to its end, within the limits of `@fastify/multipart` and of the body:
 * its texts become the data that they would become in an urlencoded form, and its files are objects
 * of the class `File`.
 *
 * @throws {BadRequest} when it can't be read, or has a file where none belongs
 * @throws {PayloadTooLarge} when it passes a limit
 */
export async function readForm(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Files,
  parse: Parse
): Promise<Record<string, unknown>> {
  const limit = request.routeOptions.bodyLimit
  const { multipartOptions } = request.routeOptions.config as { multipartOptions?: object }
  const options = { ...multipartOptions, throwFileSizeLimit: true }
  // The plugin reads what it has seen to be a form. That comes later, and where it attaches fields
  // to the body it reads the form at once, without the names of files.
  const form: FormRequest = Object.create(request, { isMultipart: { value: () => true } })
  Object.defineProperty(request, 'isMultipart', { value: () => false })
  const isTooLarge = Number(request.headers['content-length']) > limit
  const ended = waitForEnd(request, limit)
  try {
    if (isTooLarge) throw tooLarge(limit)
    const data = read(form.parts(options), files, parse)
    await Promise.race([ended, data])
    return await data
  } catch (error) {
    // Nobody else reads the rest of the form, and a client that still sends would miss the answer.
    request.raw.unpipe()
    request.raw.resume()
    if (!isTooLarge) await ended.catch(() => {})
    if (request.raw.httpVersionMajor === 1 && !request.raw.complete) reply.header('connection', 'close')
    throw error
  }
}

const tooLarge = (limit: number) => new PayloadTooLarge(`The form is larger than ${limit} bytes, its \`bodyLimit\``)

/**
 * Waits until a form has arrived. Rejects once it passes the limit: the plugin has limits for
 * parts, none for the whole.
 */
function waitForEnd({ raw }: FastifyRequest, limit: number): Promise<void> {
  let size = 0
  const ended = new Promise<void>((resolve, reject) => {
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) reject(tooLarge(limit))
    })
    raw.on('end', resolve).on('close', resolve)
  })
  // Nobody may be waiting for it.
  ended.catch(() => {})
  return ended
}

async function read(parts: AsyncIterable<Part>, files: Files, parse: Parse): Promise<Record<string, unknown>> {
  const texts = new URLSearchParams()
  const others = new Map<string, unknown[]>()
  const add = (name: string, value: unknown) => others.set(name, [...(others.get(name) ?? []), value])
  // A form is read to its end, so that its client gets the answer. What is not wanted is not kept.
  let problem: Error | undefined
  try {
    for await (const part of parts) {
      const { fieldname } = part
      if (fieldname === undefined) {
        problem ??= new BadRequest('A part of the form has no name')
        if (part.type === 'file') part.file.resume()
        continue
      }
      if (part.type === 'field') {
        if (part.valueTruncated) problem ??= new PayloadTooLarge(`${fieldname} is too large`)
        else if (typeof part.value === 'string') texts.append(fieldname, part.value)
        else add(fieldname, part.value)
        continue
      }
      const name = fieldname.replace(/\[]$/, '')
      if (!files.has(name)) {
        problem ??= refusal('body', [name], `can not be a file. Files are: ${[...files.keys()].join(', ')}`, 'type')
        part.file.resume()
        continue
      }
      const bytes = await part.toBuffer().catch((error: Error) => {
        problem ??= toError(error, name)
      })
      // A browser sends an empty part for a file that was not chosen.
      if (bytes !== undefined && (bytes.length > 0 || part.filename))
        add(name, new File([bytes], part.filename ?? '', { type: part.mimetype }))
    }
  } catch (error) {
    throw problem ?? toError(error as Error)
  }
  if (problem !== undefined) throw problem
  const data = parseTexts(texts.toString(), parse)
  if (data instanceof BadRequest) throw data
  for (const [name, values] of others) {
    const all = Object.hasOwn(data, name) ? [data[name], ...values].flat() : values
    data[name] = all.length > 1 || files.get(name)?.isList ? all : all[0]
  }
  return data
}

/** Reads the texts of a form with files by the parser of queries. */
function parseTexts(text: string, parse: Parse): Record<string, unknown> | BadRequest {
  const data = parse(text)
  if (data instanceof BadRequest) return data
  const hasNameless = [...new URLSearchParams(text).keys()].includes('')
  return hasNameless ? new BadRequest('A field of the form has no name') : data
}

function toError(error: Error & { statusCode?: number }, name = 'The form'): Error {
  if (error.statusCode === 413)
    return new PayloadTooLarge(`${name} is too large: ${error.message}`, {}, { cause: error })
  return new BadRequest(`The form can't be read: ${error.message}`, {}, { cause: error })
}
