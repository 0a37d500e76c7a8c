import { BadRequest } from '../core/errors.js'
import { pick } from '../core/pick.js'
import { streamOf } from '../core/stream.js'
import { type ClientRequest, type ClientResponse, headerOf } from './message.js'
import { isPage } from './page.js'
import type { Send } from './redirect-page.js'

/** The options that tell the libraries to follow no redirect. Each reads those that it knows. */
const manual = {
  redirect: 'manual',
  maxRedirects: 0,
  fetchOptions: { redirect: 'manual' },
  redirects: 0,
  followRedirect: false,
  followAllRedirects: false
}

/** @throws where there is no address, and no page that has one */
export function checkAddress(address: string): void {
  if (address === '' && !isPage()) throw new Error('rest(address) needs an address outside a browser')
}

/**
 * Makes a function that sends requests, and follows redirects as `fetch` does, with every library. Another origin gets no more than a GET, with no header of ours
 * but `Accept`. After 20 redirects, and where a call has the option `redirect`, the redirect is the answer.
 *
 * @throws {BadRequest} when a redirect leads to another origin, and the request has a secret, or does not become a GET
 */
export const following = (send: Send): Send => (isPage() ? send : (request) => follow(request, send))

async function follow(request: ClientRequest, send: Send, left = 20): Promise<ClientResponse> {
  const { service, call, method, url, headers, body, options, isSecret } = request
  if (options.redirect && !isSecret) return send(request)
  const response = await send({ ...request, options: { ...options, ...manual } })
  const { status } = response
  const location = headerOf(response, 'location') ?? ''
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== '' && URL.canParse(location, url)
  if (!isRedirect || left === 0 || options.redirect) return response

  const [from, to] = [new URL(url), new URL(location, url)]
  const stays = status > 306 || (status < 303 && method !== 'POST')
  // A stream can't be sent a second time.
  if (stays && streamOf(body)) return response
  // Not their `origin`: that of a `blob:` is the one of its page.
  const isOther = from.protocol !== to.protocol || from.host !== to.host
  if (isOther && (isSecret || (stays && method !== 'GET')))
    throw new BadRequest(
      `${service}.${call} is redirected from ${url} to ${to.protocol}//${to.host}, and not sent there: give rest() that address if it is your server`
    )
  const isKept = isOther ? /^accept$/i : stays ? /./ : /^(?!content-|x-service-)/i
  const next = {
    method: stays ? method : 'GET',
    url: to.href,
    headers: pick(Object.keys(headers), (name) => (isKept.test(name) ? headers[name] : undefined)) as typeof headers,
    body: stays ? body : undefined
  }
  return follow({ ...request, ...next }, send, left - 1)
}
