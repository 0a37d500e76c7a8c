export type { ProductionOptions } from './options.js'
export { default } from './plugin.js'
export { serverOptions } from './server-options.js'
