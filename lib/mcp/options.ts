import { checkOptions, kinds, type OptionKind, type OptionTable, registerOptions } from '../core/options.js'
import { checkAuthorization, type McpAuthorization } from './authorization.js'

/** Options of `fastify-services/mcp`. */
export interface McpOptions {
  /**
   * The methods that agents may call: `'books.find'`, or `'books'` for its `find`, `get`, `create` and
   * `patch`. All other methods must be named, and so must calls for many records:
   * `'books.createMany'`. Permissions of the caller still apply.
   */
  services: readonly string[]
  /** The path of the endpoint. Default `'mcp'`. */
  path?: string
  /** The name of the application, for the user of the agent. Default `'services'`. */
  name?: string
  /** The version of the application. Default `'1.0.0'`. */
  version?: string
  /** Advice to the agent about the application, in a few sentences. */
  instructions?: string
  /**
   * `'compact'`: one tool for each service, which takes the name of the method as an argument. The
   * list of tools is half as long, but a client that asks its user asks about all methods at once.
   * Default `'single'`: one tool for each method.
   */
  mode?: 'single' | 'compact'
  /**
   * Names for tools whose own name is too long or taken: `{ 'books.find': 'search_books' }`, or
   * `{ books: 'library' }` if there is one tool for each service.
   */
  names?: Readonly<Record<string, string>>
  /**
   * The most bytes that the result of a tool may have, since an agent has to read all of it. Default
   * 100,000.
   */
  maxBytes?: number
  /**
   * The origins of web pages that may call: `['https://inspector.example.com']`. Requests of all
   * other pages are refused. Agents that are no pages send no origin. Default: none.
   */
  origins?: readonly string[]
  /**
   * The methods that run only after the user of the agent has said yes: `['orders.cancel']`. Methods
   * that remove records are among them without being named.
   */
  confirm?: readonly string[]
  /**
   * Decides about those methods if the client of the agent can't ask its user: `'refuse'` or
   * `'call'`. Default `'refuse'`.
   */
  withoutUser?: 'refuse' | 'call'
  /**
   * Signs the questions to users, with at least 32 characters. Needed if several processes answer at
   * one address. Default: a random one for each process.
   */
  secret?: string
  /** Leads agents to the login of an OAuth server. Default: they need a token from the start. */
  authorization?: McpAuthorization
}

const url: OptionKind = [
  "a list of origins, such as ['https://my.app']",
  (value) => kinds.names[1](value) && (value as string[]).every((origin) => URL.parse(origin)?.origin === origin)
]

const mcpOptions: OptionTable<McpOptions> = {
  services: kinds.names,
  path: kinds.filled,
  name: kinds.filled,
  version: kinds.filled,
  instructions: kinds.filled,
  mode: ["'single' or 'compact'", (value) => value === 'single' || value === 'compact'],
  names: kinds.plain,
  maxBytes: kinds.positive,
  origins: url,
  confirm: kinds.names,
  withoutUser: ["'refuse' or 'call'", (value) => value === 'refuse' || value === 'call'],
  authorization: kinds.plain,
  secret: ['a string with at least 32 characters', (value) => typeof value === 'string' && value.length >= 32]
}

/** @throws {Error} if an option is unknown or invalid, or no service is named */
export function checkMcpOptions(options: McpOptions): void {
  checkOptions('mcp', { ...mcpOptions, ...registerOptions }, options)
  if (options.authorization !== undefined) checkAuthorization(options.authorization)
  if (options.services === undefined || options.services.length === 0)
    throw new Error("The option `services` of mcp must name what agents may call: ['books', 'books.remove']")
}
