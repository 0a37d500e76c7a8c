import { STATUS_CODES } from 'node:http'
import encodeUrl from 'encodeurl'
import type { FastifyRequest } from 'fastify'
import { type ErrorJSON, readProperty } from '../../core/errors.js'
import { isObject } from '../../core/objects.js'
import { parsePointer, toFragment } from '../../schema/pointer.js'

/**
 * Returns the problem details of an error (RFC 9457). The members of its usual body stay, so that
 * clients of Feathers can read it.
 */
export function toProblemDetails(
  body: Partial<ErrorJSON>,
  status: number,
  { url, body: sent }: FastifyRequest
): object {
  const { errors, ...members } = body
  // The query may have secrets, and a second slash would begin the name of a host.
  const path = url.replace(/[?#].*$/s, '').replace(/^\/+/, '/')
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: body.message,
    instance: encodeUrl(path),
    ...members,
    ...(errors !== undefined && { errors: issuesIn(errors).map((issue) => withPointer(issue, isObject(sent))) })
  }
}

/** Returns the issues of an error: a list, as validators give it, or texts by field. */
function issuesIn(errors: unknown): unknown[] {
  if (Array.isArray(errors)) return errors
  if (!isObject(errors)) return [errors]
  return Object.entries(errors).flatMap(([field, issues]) =>
    [issues].flat().map((issue) => ({ ...(isObject(issue) && issue), path: [field], message: messageOf(issue) }))
  )
}

/** @param hasBody whether the issue may be about the body, into which its pointer leads */
function withPointer(issue: unknown, hasBody: boolean): object {
  const pointer = `#${toFragment(keysOf(issue))}`
  return { ...(isObject(issue) && issue), detail: messageOf(issue), ...(hasBody && { pointer }) }
}

const messageOf = (issue: unknown): string => String(readProperty(issue, 'message') ?? issue)

/** Returns the keys that lead to the value of an issue. Schema libraries give a list of them. */
function keysOf(issue: unknown): string[] {
  const { instancePath = '', path, params } = Object(issue)
  const { missingProperty, additionalProperty } = Object(params)
  const keys = Array.isArray(path)
    ? path.map((key: unknown) => String(readProperty(key, 'key') ?? key))
    : parsePointer(String(instancePath))
  return [...keys, missingProperty ?? additionalProperty ?? []].flat().map(String)
}
