import { attempt, errorFromJSON, GeneralError } from '../core/errors.js'
import { type ClientResponse, headerOf } from './message.js'

const isJSONType = (type: string) => /^application\/([^;]*\+)?json\s*([;,]|$)/i.test(type)
const isTextType = (type: string) => /^$|^text\/|[/+]xml\b|javascript|ndjson|urlencoded/i.test(type)

/**
 * Returns the result of a response: parsed JSON, text as a string, anything else as a Blob, and `null` if there is no body.
 * @throws the error that the server has sent, or a GeneralError if its JSON is not valid
 */
export function settle(response: ClientResponse): unknown {
  const { status, body } = response
  const text = () => new TextDecoder().decode(body)
  const parse = () => JSON.parse(text())
  const contentType = headerOf(response, 'content-type') ?? ''
  if (status < 200 || status > 299) throw errorFromJSON(status, isJSONType(contentType) ? attempt(parse) : undefined)
  if (body.byteLength === 0) return null
  if (isTextType(contentType)) return text()
  if (!isJSONType(contentType)) return new Blob([body as ArrayBuffer], { type: contentType })
  try {
    return parse()
  } catch (cause) {
    throw new GeneralError('The answer is not JSON', undefined, { cause })
  }
}
