export type { FeathersApplication } from './mounted.js'
export { default, type FeathersOptions } from './plugin.js'
