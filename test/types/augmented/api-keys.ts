import { KnexService } from '@feathersjs/knex'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type Paged, type Services, type Unpaged } from 'fastify-services'
import { type ApiKey, ApiKeyStrategy, type ApiKeys, apiKeys } from 'fastify-services/accounts'
import authentication from 'fastify-services/authentication'
import { createClient } from 'fastify-services/client'
import createKnex from 'knex'
import { same } from '../programs/same.js'

declare module 'fastify-services' {
  interface Services {
    'api-keys': Unpaged<ApiKeys>
    'paged-api-keys': Paged<ApiKeys>
  }
}

const app = Fastify()
await app.register(services)
const strategies = { jwt: true, apiKey: new ApiKeyStrategy({ service: 'api-keys', header: 'X-Key' }) }
await app.register(authentication, { secret: 's'.repeat(32), strategies, guard: ['jwt', 'apiKey'] })
app.service('api-keys', memory(), apiKeys())
app.service('api-keys', new KnexService({ Model: createKnex({}), name: 'api_keys' }), apiKeys({ prefix: 'acme' }))
app.service('paged-api-keys', memory({ paginate: { default: 10, max: 100 } }), apiKeys())
// @ts-expect-error: `prefx` is misspelt
apiKeys({ prefx: 'acme' })

// The server names the user. Only `create` returns the key.
const seed = await app.service('api-keys').create({ name: 'CI', userId: 1 })
same<typeof seed, ApiKey & { key: string }>(true)
const { data } = await app.service('paged-api-keys').find({ query: { userId: 1 } })
same<typeof data, ApiKey[]>(true)

const client = createClient<Services>()
const { key } = await client.service('api-keys').create({ name: 'CI', expiresAt: '2030-01-01T00:00:00Z' })
key.length
const [found] = await client.service('api-keys').find()
same<typeof found, ApiKey | undefined>(true)
await client.service('api-keys').patch(1, { name: 'Nightly build' })
// @ts-expect-error: a client can't choose the user
await client.service('api-keys').create({ name: 'CI', userId: 1 })
// @ts-expect-error: no other method returns the key
found?.key
// @ts-expect-error: a key can't be replaced
await client.service('api-keys').update(1, { name: 'CI' })
