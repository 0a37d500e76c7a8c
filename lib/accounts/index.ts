export { ApiKeyStrategy, type ApiKeyStrategyOptions } from './api-key-strategy.js'
export { type ApiKey, type ApiKeys, type ApiKeysOptions, apiKeys } from './api-keys.js'
