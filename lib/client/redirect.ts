import { streamOf } from '../core/content.js'
import { BadRequest } from '../core/errors.js'
import { pick } from '../core/objects.js'
import { type ClientRequest, type ClientResponse, headerOf, nameIn } from './message.js'
import { asSecret as asSecretInPage, following as followingInPage, type Send } from './redirect-page.js'

// The options that tell the libraries to follow no redirect. Each reads its own.
const manual = {
  redirect: 'manual',
  maxRedirects: 0,
  fetchOptions: { redirect: 'manual' },
  redirects: 0,
  followRedirect: false,
  followAllRedirects: false
}

/**
 * Whether this is a page, or a worker, of a browser. Other platforms may have the name without an
 * address.
 */
export const isPage = (): boolean => (globalThis as { location?: unknown }).location !== undefined

/** @throws where there is no address, and no page that has one, or an address lacks its scheme */
export function checkAddress(address: string | URL): void {
  if (isPage()) return
  if (address === '') throw new Error('rest(address) needs an address outside a browser')
  // A library may have the beginning of an address itself, as `baseURL` of axios.
  if (!/^([a-z][\w+.-]*:\/)?\//i.test(String(address)))
    throw new Error('rest(address) needs an address that begins with http:// or https://')
}

/** Marks a request as one with a secret: its redirects are followed here, or not at all. */
export const asSecret = (request: ClientRequest): ClientRequest =>
  isPage() ? asSecretInPage(request) : { ...request, isSecret: true }

/**
 * Makes a function that sends requests. Outside of a page, redirects of a request with a token or a
 * secret are followed here, as `fetch` follows them, since most libraries send headers or bodies to
 * other origins. Another origin gets no more than a GET, with no header of ours but `Accept`. The
 * library follows those of all other requests.
 *
 * @throws {BadRequest} when a redirect leads to another origin, and the request has a secret, or
 * does not become a GET
 */
export const following = (send: Send): Send => {
  const sendFromPage = followingInPage(send)
  return (request) => (isPage() ? sendFromPage(request) : follow(request, send, limitOf(request.options)))
}

/**
 * How many redirects the options of a call allow, by the names that they have in the libraries.
 * `fetch` follows 20.
 */
const limitOf = ({ redirect = 'follow', followRedirect, maxRedirects, redirects }: ClientRequest['options']) =>
  redirect === 'follow' && followRedirect !== false ? Number(maxRedirects ?? redirects ?? 20) : 0

async function follow(request: ClientRequest, send: Send, remaining: number): Promise<ClientResponse> {
  const { service, call, method, url, headers, body, options, isSecret } = request
  if (!isSecret && !nameIn(headers, 'authorization')) return send(request)
  const response = await send({ ...request, options: { ...options, ...manual } })
  const { status } = response
  const location = headerOf(response, 'location')
  if (!location || ![301, 302, 303, 307, 308].includes(status) || !URL.canParse(location, url)) return response
  const [from, to] = [new URL(url), new URL(location, url)]
  const keepsMethod = status > 306 || (status < 303 && method !== 'POST')
  // A stream can't be sent a second time. Files and data that an address holds are no answer of a
  // server.
  if (!(remaining > 0) || !/^https?:$/.test(to.protocol) || (keepsMethod && streamOf(body))) return response

  const isCrossOrigin = from.origin !== to.origin
  if (isCrossOrigin && (isSecret || (keepsMethod && method !== 'GET')))
    throw new BadRequest(
      `${service}.${call} is redirected from ${url} to ${to.origin}, and not sent there: give rest() that address if it is your server`
    )
  // A password of the new address would be sent in the place of the token.
  to.username = isCrossOrigin ? '' : from.username
  to.password = isCrossOrigin ? '' : from.password
  const { auth, ...others } = options
  const isKept = isCrossOrigin ? /^accept$/i : keepsMethod ? /./ : /^(?!content-|x-service-|if-)/i
  const next = {
    method: keepsMethod ? method : 'GET',
    url: to.href,
    headers: pick(Object.keys(headers), (name) => (isKept.test(name) ? headers[name] : undefined)) as typeof headers,
    body: keepsMethod ? body : undefined,
    options: isCrossOrigin ? others : options
  } as const
  return follow({ ...request, ...next }, send, remaining - 1)
}
