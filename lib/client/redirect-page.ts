import { BadRequest } from '../core/errors.js'
import type { ClientRequest, ClientResponse } from './message.js'

/** Sends a request. */
export type Send = (request: ClientRequest) => Promise<ClientResponse>

// `redirect.ts` for pages: bundlers replace it by this file, because of `browser` in package.json.

/** A page has an address. */
export function checkAddress(_address: string | URL): void {}

/** Whether this is a page, or a worker, of a browser. */
export const isPage = (): boolean => true

// Of axios, the adapter for fetch can do without following: in the versions that do not know
// `maxRedirects` there, by `fetchOptions`. A literal is left out by bundlers of pages without a
// login.
const unfollowed = { redirect: 'manual', fetchOptions: { redirect: 'manual' }, adapter: 'fetch', maxRedirects: 0 }

/**
 * Marks a request as one with a secret. In a page the browser hides where redirects lead, so such a
 * request follows none.
 */
export const asSecret = (request: ClientRequest): ClientRequest => ({
  ...request,
  options: { ...request.options, ...unfollowed },
  isSecret: true
})

/**
 * Makes a function that sends requests.
 *
 * @throws {BadRequest} when a request that follows no redirect is redirected
 */
export const following =
  (send: Send): Send =>
  async (request) => {
    const response = await send(request)
    // To a page, the status of a redirect that it does not follow is 0.
    if (!response.status) throw new BadRequest(`${request.url} is redirected: give rest() that address`)
    return response
  }
