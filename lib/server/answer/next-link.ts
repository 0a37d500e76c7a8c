import encodeUrl from 'encodeurl'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HookContext } from '../../../types/fastify.js'
import { callStateOf } from '../../core/call-state.js'
import { requestStateOf } from '../../core/request-state.js'
import type { Router } from '../request/router.js'
import { addLink, keepHeaders } from './headers.js'
import type { Projector } from './project.js'

/** Links the answer of a `find` to its next page, if there is one. */
export type LinkNextPage = (context: HookContext, result: unknown, request: FastifyRequest, reply: FastifyReply) => void

/**
 * Creates the function that sets `Link: <?$skip=10>; rel="next"` (RFC 8288) for pages. The URL is
 * only a query, which clients resolve by the URL of their request: so it is right behind proxies
 * that change the path.
 *
 * @param projector of a resource
 */
export function createLinkNextPage(router: Router, projector?: Projector): LinkNextPage {
  return (context, result, request, reply) => {
    const { data, total, skip = 0 } = Object(result) as Record<string, unknown>
    const records: readonly unknown[] | undefined = Array.isArray(data) ? data : undefined
    const { walk } = callStateOf(context)
    if (records === undefined && walk === undefined) return
    let next: string
    if (walk !== undefined) {
      const toSent = (record: unknown) => (projector ? projector.projectItem(record) : record)
      const cursor = walk.nextCursor(records, toSent)
      if (cursor === undefined) return
      next = `$after=${cursor}`
    } else {
      const count = records?.length ?? 0
      if (typeof total !== 'number' || typeof skip !== 'number' || count === 0 || skip + count >= total) return
      // Otherwise the service pages by other rules.
      if (skip !== Number(Object(request.query).$skip ?? 0)) return
      next = `$skip=${skip + count}`
    }
    const url = `?${otherParameters(router.query(request.originalUrl))}${next}`
    // Copying all headers is expensive, so a single link is removed by its name after an error.
    const link = `<${isPlainText(url) ? url : encodeUrl(url)}>; rel="next"`
    if (reply.hasHeader('link')) {
      keepHeaders(reply)
      addLink(reply, link)
    } else {
      requestStateOf(request).hasNextLink = true
      reply.header('link', link)
    }
  }
}

/** Whether `encodeUrl` would leave a URL as it is. A regular expression takes five times as long. */
function isPlainText(url: string): boolean {
  for (let index = 0; index < url.length; index++) {
    const code = url.charCodeAt(index)
    // The others are visible characters of ASCII.
    if (code < 0x21 || code > 0x7a || encoded.has(code)) return false
  }
  return true
}

const encoded = new Set([...'"%<>`'].map((character) => character.charCodeAt(0)))

/** Returns the parameters of a query string, as they were sent, but not the place of the page. */
function otherParameters(query: string): string {
  if (query === '') return ''
  if (!query.includes('skip') && !query.includes('after')) return `${query}&`
  const others = query.split('&').filter((parameter) => parameter !== '' && !placePattern.test(parameter))
  return others.map((parameter) => `${parameter}&`).join('')
}

const placePattern = /^(\$|%24)(skip|after)(=|$)/
