import type {
  CallToolResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult
} from '@modelcontextprotocol/server'
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { parse } from 'qs'
import { attempt } from '../core/errors.js'
import type { Answer, ToolArguments } from './call.js'
import type { Tool } from './tool.js'

const scheme = 'service://'
const mimeType = 'application/json'

/** Whether a tool reads records that are resources, too: `service://books/1`, `service://books`. */
export const isReader = ({ method: { name }, needsUser }: Tool): boolean =>
  (name === 'find' || name === 'get') && !needsUser

/** Returns the lists of records that some tools read. A path with placeholders is a template. */
export const listResources = (tools: readonly Tool[]): ListResourcesResult['resources'] =>
  tools
    .filter((tool) => isReader(tool) && !tool.path.includes(':'))
    .map(({ path, listed: { description } }) => ({ uri: scheme + path, name: path, description, mimeType }))

/** Returns the templates of the records and lists that some tools read. */
export const listTemplates = (tools: readonly Tool[]): ListResourceTemplatesResult['resourceTemplates'] =>
  tools.filter(isReader).map(({ path, form, listed: { description } }) => ({
    uriTemplate: `${scheme}${path.replace(/:(\w+)/g, '{$1}')}${form.isMany ? '{?query*}' : ''}`,
    name: path,
    description,
    mimeType
  }))

/** Returns the tool that reads a resource, and its arguments. @throws {ResourceNotFoundError} */
export function readerOf(uri: string, tools: readonly Tool[]): { readonly tool: Tool; readonly given: ToolArguments } {
  const [, path = '', query = ''] = /^service:\/\/([^?#]+)(?:\?([^#]*))?$/.exec(uri) ?? []
  const segments = path.split('/').map((segment) => attempt(() => decodeURIComponent(segment)))
  for (const tool of tools) {
    const names = tool.path.split('/')
    const isAt = names.every((name, index) => name.startsWith(':') || name === segments[index])
    if (!isReader(tool) || names.length !== segments.length || !isAt) continue
    const inPath = names.flatMap((name, index) => (name.startsWith(':') ? [[name.slice(1), segments[index]]] : []))
    // The values of a URI are texts, which the route converts if it reads them from a URL.
    return { tool: { ...tool, takesQuery: false }, given: { ...Object.fromEntries(inPath), query: parse(query) } }
  }
  throw new ResourceNotFoundError(uri)
}

/** Converts the result of a tool to that of a resource. @throws {ProtocolError} if it is an error */
export function toContents(
  uri: string,
  { status }: Pick<Answer, 'status'>,
  { content: [first], structuredContent, isError }: CallToolResult
): ReadResourceResult {
  const text = first?.type === 'text' ? first.text : ''
  if (status === 404) throw new ResourceNotFoundError(uri, text)
  if (isError)
    throw new ProtocolError(status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams, text)
  return {
    contents: [{ uri, text, ...(structuredContent !== undefined && { mimeType }) }],
    ttlMs: 0,
    cacheScope: 'private'
  }
}
