import plugin from 'fastify-services/authentication'

import type { Application } from './declarations'

export const authentication = async (app: Application) => {
  const { secret, entity, service, authStrategies, local } = app.settings.authentication!

  await app.register(plugin, {
    secret,
    entity,
    service,
    authStrategies,
    strategies: { jwt: true, local },
    // The tokens of the Feathers application stay valid
    jwt: { issuer: 'feathers', audience: 'https://yourdomain.com', expiresIn: '1d' }
  })
}
