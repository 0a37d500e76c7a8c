import { Unavailable } from '../../core/errors.js'

// In bytes. Key sets of large issuers have a few thousand.
const maxSize = 1_000_000

// In milliseconds. Requests come faster than an issuer recovers.
const retryPause = 5000

/**
 * Creates a `fetch` for the key set of an issuer. It limits the size of an answer, and after a
 * failure it asks again only after a pause. Time limit, cache and cooldown are those of `jose`.
 *
 * @returns a function that throws Unavailable if the issuer sends no key set
 */
export function createKeyFetch(): (url: string, options: RequestInit) => Promise<Response> {
  let failure: { readonly cause: unknown; readonly end: number } | undefined
  return async (url, options) => {
    if (failure === undefined || failure.end <= Date.now()) {
      try {
        const keySet = await readKeySet(await fetch(url, options))
        failure = undefined
        return Response.json(keySet)
      } catch (cause) {
        failure = { cause, end: Date.now() + retryPause }
      }
    }
    const { cause } = failure
    throw new Unavailable('The issuer of the access token does not send its keys', undefined, { cause })
  }
}

async function readKeySet(response: Response): Promise<object> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    // Leaving the loop ends the transfer.
    if (size > maxSize) throw new Error(`The key set has over ${maxSize} bytes`)
    chunks.push(chunk)
  }
  if (response.status !== 200) throw new Error(`The issuer answers the request for its keys with ${response.status}`)
  const keySet: unknown = JSON.parse(Buffer.concat(chunks).toString())
  if (!Array.isArray(Object(keySet).keys))
    throw new Error('The issuer answers the request for its keys with other JSON')
  return keySet as object
}
