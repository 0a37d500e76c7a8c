export { applicationOf } from './application.js'
export type { FeathersMembers, Settings } from './members.js'
export { default, type FeathersOptions } from './plugin.js'
export type { SettingsOption } from './settings.js'
