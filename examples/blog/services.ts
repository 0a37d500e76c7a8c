import type { Paged, ServiceOf } from 'fastify-services'
import type { comments, pictures, posts, users } from './records.js'

/** The routes of custom methods, for the server and the client. */
export const routes = { posts: { publish: 'POST /:id/publish' } } as const

/** The services by their paths. The client has their methods, data, queries and results as types, and nothing else of the server. */
export interface Blog {
  users: Paged<ServiceOf<typeof users>>
  posts: Paged<ServiceOf<typeof posts>>
  'posts/:postId/comments': Paged<ServiceOf<typeof comments, 'find' | 'get' | 'create' | 'remove'>>
  pictures: Paged<ServiceOf<typeof pictures, 'find' | 'get' | 'create'>>
}
