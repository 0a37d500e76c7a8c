export type { ExplorerOptions } from './options.js'
export { explorer as default } from './plugin.js'
