import type { ClientRequest, ClientResponse } from './message.js'

/** Sends a request. */
export type Send = (request: ClientRequest) => Promise<ClientResponse>

// What `redirect.ts` has, for pages: bundlers put this in its place, by `browser` in package.json.

/** A page has an address. */
export function checkAddress(_address: string): void {}

/** In a page, the browser follows redirects. */
export const following = (send: Send): Send => send
