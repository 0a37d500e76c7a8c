import type { Id } from 'fastify-services'
import { MemoryService } from 'fastify-services/memory'

/** Posts in memory, which can be published. */
export class Posts extends MemoryService {
  async publish(id: Id) {
    return this.patch(id, { published: true })
  }
}

/** What the server says of a post by itself. */
export const describePost = ({ text }: { text?: unknown }) =>
  typeof text === 'string' ? { words: text.split(/\s+/).filter(Boolean).length } : {}
