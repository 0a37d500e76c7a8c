export { applicationOf } from './application.js'
export type { ApplicationMembers, FeathersLike, Mixin, Setting, Settings } from './members.js'
export { default, type FeathersOptions } from './plugin.js'
export type { SettingsOption } from './settings.js'
