import type { Id, Paged, RecordOf, ServiceOf, WithRoutes } from 'fastify-services'
import type { comments, pictures, posts, users } from './records.js'

/** Which methods of posts are called over HTTP, and the routes of those that are none of the six: for the server and for the client. */
export const ofPosts = {
  methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'publish'],
  routes: { publish: 'POST /:id/publish' }
} as const

interface Publishing {
  publish(id: Id): Promise<RecordOf<typeof posts>>
}

/** The services by their paths. The client has their methods, data, queries and results as types, and nothing else of the server. */
export interface Blog {
  users: Paged<ServiceOf<typeof users, 'find' | 'get' | 'create' | 'patch' | 'remove'>>
  posts: WithRoutes<Paged<ServiceOf<typeof posts>> & Publishing, typeof ofPosts.routes>
  'posts/:postId/comments': Paged<ServiceOf<typeof comments, 'find' | 'get' | 'create' | 'remove'>>
  pictures: Paged<ServiceOf<typeof pictures, 'find' | 'get' | 'create'>>
}
