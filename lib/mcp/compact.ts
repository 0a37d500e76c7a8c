import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { BadRequest } from '../core/errors.js'
import { hintFor } from '../core/options.js'
import type { Json } from '../openapi/json-schema.js'
import type { ToolArguments } from './call.js'
import type { Tool } from './tool.js'

/** Lists one tool for each service, which takes the name of the method as an argument. */
export function listCompact(tools: readonly Tool[]): ListedTool[] {
  const names = new Set(tools.map(({ toolName }) => toolName))
  return [...names].map((name) =>
    combineTools(
      name,
      tools.filter(({ toolName }) => toolName === name)
    )
  )
}

function combineTools(name: string, tools: readonly Tool[]): ListedTool {
  const inputs = tools.map(({ listed }) => listed.inputSchema as Json & { properties: Json })
  const hints = tools.map(({ listed }) => listed.annotations ?? {})
  const shared = Object.fromEntries(
    inputs.flatMap(({ properties }) => Object.keys(properties)).map((key) => [key, anyOf(inputs, key)])
  )
  const method = { type: 'string', enum: tools.map(({ methodName }) => methodName) }
  const $defs: Json = Object.assign({}, ...inputs.map((input) => input.$defs))
  return {
    name,
    description: tools.map(({ methodName, listed }) => `${methodName}: ${listed.description}`).join('\n'),
    inputSchema: {
      type: 'object',
      properties: { method, ...shared },
      required: ['method'],
      additionalProperties: false,
      ...(Object.keys($defs).length > 0 && { $defs })
    },
    annotations: {
      readOnlyHint: hints.every(({ readOnlyHint }) => readOnlyHint),
      destructiveHint: hints.some(({ destructiveHint }) => destructiveHint),
      idempotentHint: hints.every(({ idempotentHint }) => idempotentHint),
      openWorldHint: false
    }
  }
}

/** Returns the schema of an argument that several methods have. */
function anyOf(inputs: readonly { readonly properties: Json }[], key: string): Json {
  const schemas = inputs.flatMap(({ properties }) => properties[key] ?? [])
  const [first, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()
  return others.length === 0 ? (first as Json) : { anyOf: [first, ...others] }
}

/**
 * Returns the tool of the method that the arguments name, and its own arguments.
 *
 * @throws {BadRequest} if there is none
 */
export function selectMethod({ method, ...given }: ToolArguments, tools: readonly Tool[]): [Tool, ToolArguments] {
  const tool = tools.find(({ methodName }) => methodName === method)
  if (tool !== undefined) return [tool, given]
  const known = tools.map(({ methodName }) => methodName)
  throw new BadRequest(`'method' must be one of ${known.join(', ')}${hintFor(String(method).slice(0, 40), known)}`)
}
