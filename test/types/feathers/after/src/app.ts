import Fastify from 'fastify'
import cors from '@fastify/cors'
import rest from 'fastify-services'

import { loadConfiguration } from './configuration'
import type { Application } from './declarations'
import { logError } from './hooks/log-error'
import { postgresql } from './postgresql'
import { authentication } from './authentication'
import { services } from './services/index'

export const createApp = async () => {
  const app: Application = Fastify({ logger: { level: process.env.LOG_LEVEL ?? 'info' } })

  // Load our app configuration (see config/ folder)
  app.decorate('settings', await loadConfiguration())

  await app.register(cors, { methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] })

  // Configure services and transports
  await app.register(rest, {
    // Register hooks that run on all service methods
    hooks: {
      around: {
        all: [logError]
      },
      before: {},
      after: {},
      error: {}
    },
    errorHandler: { html: false }
  })

  postgresql(app)
  await authentication(app)
  services(app)

  return app
}
