import { attempt, errorFromJSON, GeneralError } from '../core/errors.js'
import type { ClientResponse } from './message.js'

const isJSON = (type: string) => /^application\/(json|[^;]*\+json)\b/i.test(type)
const isText = (type: string) => type === '' || /^text\/|[/+]xml\b|javascript|ndjson|urlencoded/i.test(type)

/**
 * The result of a response: JSON as what it stands for, text as a string, everything else as a Blob, and `null` where there is no body.
 * @throws the error that the server has answered with; GeneralError when the result can't be read
 */
export function settle({ status, type, body }: ClientResponse): unknown {
  const isSuccess = status >= 200 && status < 300
  const text = () => new TextDecoder().decode(body)
  const parse = () => JSON.parse(text())
  const contentType = type ?? ''
  if (!isSuccess) throw errorFromJSON(status, isJSON(contentType) ? attempt(parse) : undefined)
  if (status === 204 || body.byteLength === 0) return null
  if (isText(contentType)) return text()
  if (!isJSON(contentType)) return new Blob([body], { type: contentType })
  try {
    return parse()
  } catch (cause) {
    throw new GeneralError('The answer of the server is no valid JSON', undefined, { cause })
  }
}
