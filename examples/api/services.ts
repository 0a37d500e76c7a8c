import type { Paged, RecordOf, ServiceOf } from 'fastify-services'
import type { issues, organisations, projects, signUps, users } from './records.js'

/** The routes of custom methods, by the paths of their services. */
export const routes = {
  'projects/:projectId/issues': { close: 'POST /:id/close', reopen: 'POST /:id/reopen' }
} as const

// The types of the services by their paths, for `app.service(path)` here and for the client, and that of `params.user`.
declare module 'fastify-services' {
  interface Services {
    'sign-ups': ServiceOf<typeof signUps, 'create'>
    organisations: ServiceOf<typeof organisations, 'get' | 'patch'>
    users: Paged<ServiceOf<typeof users>>
    projects: Paged<ServiceOf<typeof projects>>
    'projects/:projectId/issues': Paged<ServiceOf<typeof issues>>
  }

  interface Identity {
    user: RecordOf<typeof users>
  }
}
