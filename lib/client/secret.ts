import { BadRequest } from '../core/errors.js'
import { isPage } from './page.js'
import type { Send } from './redirect-page.js'

/**
 * Sends a request with a secret, such as a password or a token. In a page nobody is told where a redirect leads to, so none is followed.
 *
 * @throws {BadRequest} when a redirect would take it to another origin, in a page to any address
 */
export const secretly =
  (send: Send): Send =>
  async (request) => {
    // Of axios, the adapter for fetch can do without following.
    const manual = isPage() && { redirect: 'manual', maxRedirects: 0, adapter: 'fetch' }
    const response = await send({ ...request, options: { ...request.options, ...manual }, isSecret: true })
    // To a page, the status of a redirect is 0.
    if (manual && response.status < 1) throw new BadRequest(`${request.url} is redirected`)
    return response
  }
