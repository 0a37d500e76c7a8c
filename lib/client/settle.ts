import { errorFromJSON, GeneralError } from '../core/errors.js'
import type { ClientResponse } from './message.js'

const isJSON = (type: string) => /^application\/(json|[^;]*\+json)\b/i.test(type)
const isText = (type: string) => type === '' || /^text\/|[/+]xml\b|javascript|ndjson|urlencoded/i.test(type)

/**
 * The result of a response: JSON as what it stands for, text as a string, everything else as a Blob, and `null` where there is no body.
 * @throws the error that the server has answered with; GeneralError when the result can't be read
 */
export function settle(response: ClientResponse): unknown {
  const { status, type, body } = response
  const isSuccess = status >= 200 && status < 300
  if (!isSuccess) throw errorFromJSON(status, isJSON(type) ? parse(response, () => undefined) : undefined)
  if (status === 204 || body.byteLength === 0) return null
  if (isJSON(type))
    return parse(response, (cause) => {
      throw new GeneralError('The answer of the server is no valid JSON', undefined, { cause })
    })
  return isText(type) ? decode(response) : new Blob([body], { type })
}

const decode = ({ body }: ClientResponse) => new TextDecoder().decode(body)

function parse(response: ClientResponse, onError: (error: unknown) => unknown): unknown {
  try {
    return JSON.parse(decode(response))
  } catch (error) {
    return onError(error)
  }
}
