import { type Paged, resource, type ServiceOf } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'

// The types of what a module exports can be written to its declarations.
export const schema = resource({ type: 'object', properties: { id: { type: 'integer' } } } as const)

export const client = createClient<{ posts: Paged<ServiceOf<typeof schema>> }>().configure(
  rest('http://localhost').fetch(fetch)
)
export const posts = client.service('posts')
