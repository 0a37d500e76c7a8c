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
import { requestStateOf } from '../../core/request-state.js'
import { checkFiles, type Files, filesOf, withoutFiles } from '../../core/resource/files.js'
import { refusal } from '../../core/resource/issues.js'
import { readJsonSchema } from '../../core/resource/json-schema.js'
import { standardOf } from '../../core/resource/standard-schema.js'
import { maxDepth } from '../../schema/body-names.js'
import type { Parse } from './query.js'

/** Types of formats that are based on JSON, such as `application/vnd.api+json`. */
const jsonFormats = /^application\/[^\s;+]+\+json(\s*;|$)/i

/**
 * Registers the body parsers of a service's routes: JSON and urlencoded replace the inherited ones,
 * other parsers of the application (multipart, XML) stay.
 */
export function registerBodyParsers(instance: FastifyInstance, parse: Parse): void {
  instance.removeContentTypeParser(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])
  const json = instance.getDefaultJsonParser('error', 'error')
  for (const type of ['application/json', jsonFormats])
    instance.addContentTypeParser<string>(type, { parseAs: 'string' }, (request, body, done) => {
      // Clients send the content type with calls without a body too, which is no error.
      if (body.length === 0) done(null, undefined)
      else if (isNestedTooDeep(body)) done(new BadRequest(`The data is nested more than ${maxDepth} deep`))
      else json(request, body, done)
    })
  const form = 'application/x-www-form-urlencoded'
  instance.addContentTypeParser<Buffer>(form, { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body.length === 0 ? undefined : parse(body.toString()))
  })
}

/**
 * Whether JSON is nested too deep: hooks, libraries and `JSON.stringify` recurse for each level,
 * and overflow the stack after some thousands.
 */
function isNestedTooDeep(text: string): boolean {
  // Each level has two brackets, and most texts are shorter than that.
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

/** Types of the parsers above. Other parsers of the application may decode bodies themselves. */
const parsedTypes = /^application\/(json|x-www-form-urlencoded|[^\s;+]+\+json)\s*(;|$)/i

/**
 * Sets the header that says which formats a PATCH may have (RFC 5789, section 3.1). A merge patch is
 * a JSON object of the fields to change.
 */
export const offerPatch = (reply: FastifyReply) =>
  reply.header('accept-patch', 'application/json, application/merge-patch+json')

/** Whether the body of a request is one that services read without another parser. */
export const hasParsedType = ({ headers }: FastifyRequest) => parsedTypes.test(String(headers['content-type']))

/**
 * Answers 415 for a compressed body, unless a hook of the application, such as `@fastify/compress`,
 * has decoded it.
 */
export const refuseEncoded: preParsingHookHandler = (request, reply, payload, done) => {
  const { 'content-encoding': encoding = '', 'content-type': type = '' } = request.headers
  if (/^\s*(identity)?\s*$/i.test(encoding) || payload !== request.raw || !parsedTypes.test(type)) return done()
  reply.header('accept-encoding', 'identity')
  done(new UnsupportedMediaType(`Bodies are not read with the content encoding '${encoding}': send it without`))
}

/**
 * Returns the hooks and the schema of a route whose body may have files: `read` reads a form before
 * validation, and `check` checks its files. `undefined` if the body has none.
 *
 * @param label of the method, as in `pictures.create`
 * @throws if `@fastify/multipart` is missing
 */
export function fileRoute(label: string, schema: FastifySchema | undefined, instance: FastifyInstance, parse: Parse) {
  const { body } = schema ?? {}
  const isLibrary = standardOf(body) !== undefined
  const json = ((isLibrary ? attempt(() => readJsonSchema(body, 'input').document) : body) ?? {}) as JsonSchema
  const files = filesOf(json)
  if (files.size === 0) return undefined
  if (!instance.hasRequestDecorator('parts') || !instance.hasContentTypeParser('multipart/form-data'))
    throw new Error(
      `${label} takes files (${[...files.keys()].join(', ')}): register @fastify/multipart before the service, ` +
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
  // A library checks files itself.
  const checkedSchema = { ...schema, ...(!isLibrary && { body: withoutFiles(json) }) }
  return { read, check, schema: { consumes: ['multipart/form-data'], ...checkedSchema } as FastifySchema }
}

/** A part of a form, as `@fastify/multipart` returns it. */
type Part = { type: 'field'; fieldname: string | undefined; value: unknown; valueTruncated: boolean } | FilePart
interface FilePart {
  type: 'file'
  fieldname: string | undefined
  filename: string | undefined
  mimetype: string
  file: { resume(): unknown }
  toBuffer(): Promise<Buffer<ArrayBuffer>>
}

/** A request with the members that `@fastify/multipart` adds. */
type FormRequest = FastifyRequest & { parts(options: object): AsyncIterable<Part>; isMultipart(): boolean }

/**
 * Reads a form with files, within the limits of `@fastify/multipart` and of the body. Texts are
 * parsed as in an urlencoded form, and files become `File` objects.
 *
 * @throws {BadRequest} if the form can't be read, or has a file in another field
 * @throws {PayloadTooLarge} if it passes a limit
 */
async function readForm(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Files,
  parse: Parse
): Promise<Record<string, unknown>> {
  const limit = request.routeOptions.bodyLimit
  const { multipartOptions } = request.routeOptions.config as { multipartOptions?: object }
  const options = { ...multipartOptions, throwFileSizeLimit: true }
  // The plugin reads only what it has recognized as a form, which comes later. With
  // `attachFieldsToBody` it would then read the form at once, without the names of files.
  const form: FormRequest = Object.create(request, { isMultipart: { value: () => true } })
  Object.defineProperty(request, 'isMultipart', { value: () => false })
  const isTooLarge = Number(request.headers['content-length']) > limit
  const ended = waitForEnd(request, limit)
  try {
    if (isTooLarge) throw tooLarge(limit)
    const data = readParts(form.parts(options), files, parse)
    await Promise.race([ended, data])
    return await data
  } catch (error) {
    // Nothing else reads the rest of the form, and a client that still sends would miss the answer.
    request.raw.unpipe()
    request.raw.resume()
    if (!isTooLarge) await ended.catch(() => {})
    if (request.raw.httpVersionMajor === 1 && !request.raw.complete) reply.header('connection', 'close')
    throw error
  }
}

const tooLarge = (limit: number) => new PayloadTooLarge(`The form is larger than ${limit} bytes, its \`bodyLimit\``)

/**
 * Waits until a form has arrived. Rejects once it passes the limit: the plugin limits parts, not
 * the whole form.
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
  // It may reject while nothing awaits it.
  ended.catch(() => {})
  return ended
}

async function readParts(parts: AsyncIterable<Part>, files: Files, parse: Parse): Promise<Record<string, unknown>> {
  const form = new FormReader(files)
  try {
    for await (const part of parts) await form.add(part)
  } catch (error) {
    throw form.issue ?? toFormError(error as Error)
  }
  if (form.issue !== undefined) throw form.issue
  return form.toData(parse)
}

/** Collects the parts of a form. It is read to its end, so that its client gets the answer. */
class FormReader {
  /** The first problem of the form. */
  issue: Error | undefined
  readonly #files: Files
  readonly #texts = new URLSearchParams()
  /** Files, and fields whose values the plugin has parsed, by name. */
  readonly #values = new Map<string, unknown[]>()

  constructor(files: Files) {
    this.#files = files
  }

  async add(part: Part): Promise<void> {
    const { fieldname } = part
    if (fieldname === undefined) {
      this.issue ??= new BadRequest('A part of the form has no name')
      if (part.type === 'file') part.file.resume()
    } else if (part.type === 'file') await this.#addFile(fieldname.replace(/\[]$/, ''), part)
    else if (part.valueTruncated) this.issue ??= new PayloadTooLarge(`${fieldname} is too large`)
    else if (typeof part.value === 'string') this.#texts.append(fieldname, part.value)
    else this.#addValue(fieldname, part.value)
  }

  async #addFile(name: string, part: FilePart): Promise<void> {
    if (!this.#files.has(name)) {
      const message = `can not be a file. Files are: ${[...this.#files.keys()].join(', ')}`
      this.issue ??= refusal('body', [name], message, 'type')
      part.file.resume()
      return
    }
    const bytes = await part.toBuffer().catch((error: Error) => {
      this.issue ??= toFormError(error, name)
    })
    // A browser sends an empty part for a file that was not chosen.
    if (bytes !== undefined && (bytes.length > 0 || part.filename))
      this.#addValue(name, new File([bytes], part.filename ?? '', { type: part.mimetype }))
  }

  #addValue(name: string, value: unknown): void {
    this.#values.set(name, [...(this.#values.get(name) ?? []), value])
  }

  /** @throws {BadRequest} if the texts can't be parsed */
  toData(parse: Parse): Record<string, unknown> {
    const data = parseTexts(this.#texts.toString(), parse)
    if (data instanceof BadRequest) throw data
    for (const [name, values] of this.#values) {
      const all = Object.hasOwn(data, name) ? [data[name], ...values].flat() : values
      data[name] = all.length > 1 || this.#files.get(name)?.isList ? all : all[0]
    }
    return data
  }
}

/** Parses the texts of a form with files, as a query. */
function parseTexts(text: string, parse: Parse): Record<string, unknown> | BadRequest {
  const data = parse(text)
  if (data instanceof BadRequest) return data
  const hasNameless = [...new URLSearchParams(text).keys()].includes('')
  return hasNameless ? new BadRequest('A field of the form has no name') : data
}

function toFormError(error: Error & { statusCode?: number }, name = 'The form'): Error {
  if (error.statusCode === 413)
    return new PayloadTooLarge(`${name} is too large: ${error.message}`, {}, { cause: error })
  return new BadRequest(`The form can't be read: ${error.message}`, {}, { cause: error })
}
