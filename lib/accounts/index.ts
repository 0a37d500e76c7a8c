export { ApiKeyStrategy, type ApiKeyStrategyOptions } from './api-key-strategy.js'
export { type ApiKey, type ApiKeys, type ApiKeysOptions, apiKeys } from './api-keys.js'
export type { AccountMail, SendMail } from './mails.js'
export { type PasswordResetOptions, type PasswordResets, passwordReset } from './password-reset.js'
