import { BadRequest } from '../core/errors.js'
import type { ClientRequest, ClientResponse } from './message.js'

/** Sends a request. */
export type Send = (request: ClientRequest) => Promise<ClientResponse>

// What `redirect.ts` has, for pages: bundlers put this in its place, by `browser` in package.json.

/** A page has an address. */
export function checkAddress(_address: string): void {}

/** Whether this is a page, or a worker, of a browser. */
export const isPage = (): boolean => true

// Of axios, the adapter for fetch can do without following: in the versions that do not know `maxRedirects` there, by `fetchOptions`.
const fetchOptions = { redirect: 'manual' }
const manual = { ...fetchOptions, fetchOptions, adapter: 'fetch', maxRedirects: 0 }

/**
 * Makes a function that sends requests. In a page the browser follows redirects and tells nobody where they lead to, so a request with a secret follows none.
 *
 * @throws {BadRequest} when a request with a secret is redirected
 */
export const following =
  (send: Send): Send =>
  async (request) => {
    const options = { ...request.options, ...(request.isSecret && manual) }
    const response = await send({ ...request, options })
    // To a page, the status of a redirect that it does not follow is 0.
    if (!response.status) throw new BadRequest(`${request.url} is redirected: give rest() that address`)
    return response
  }
