// For more information about this file see https://dove.feathersjs.com/guides/cli/typescript.html
import type { FastifyInstance } from 'fastify'
import type { HookContext as ServicesHookContext, NextFunction } from 'fastify-services'
import { ApplicationConfiguration } from './configuration'

import { User } from './services/users/users'

export type { NextFunction }

// The types for app.settings
// eslint-disable-next-line @typescript-eslint/no-empty-interface
export interface Configuration extends ApplicationConfiguration {}

// The application instance type that will be used everywhere else
export type Application = FastifyInstance

// The context for hook functions - can be typed with a service class
export type HookContext<S = any> = ServicesHookContext<S>

declare module 'fastify' {
  interface FastifyInstance {
    settings: Configuration
  }
}

// Add the user as an optional property to all params
declare module 'fastify-services' {
  interface Identity {
    user: User
  }
}
