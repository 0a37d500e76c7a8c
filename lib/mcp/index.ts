export type { McpOptions } from './options.js'
export { mcp as default } from './plugin.js'
