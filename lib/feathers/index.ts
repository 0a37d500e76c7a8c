export { applicationOf } from './application.js'
export type { FeathersLike, FeathersMembers, Mixin, Settings } from './members.js'
export { default, type FeathersOptions } from './plugin.js'
export type { SettingsOption } from './settings.js'
