export type { FeathersApplication } from './application.js'
export { default, type FeathersOptions } from './plugin.js'
