export type { McpAuthorization } from './authorization.js'
export type { McpOptions } from './options.js'
export { mcp as default } from './plugin.js'
