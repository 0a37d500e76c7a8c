import { MemoryService } from '@feathersjs/memory'
import type { Id, Params } from 'fastify-services'

export interface Post {
  id: number
  title: string
  text: string
  words: number
  tags: string[]
  published: boolean
  author: number
}

/** Posts in memory, which can be published. */
export class Posts extends MemoryService<Post> {
  async publish(id: Id, _data: unknown, _params?: Params): Promise<Post> {
    return this._patch(id, { published: true })
  }
}

/** What the server says of a post. */
export const describePost = ({ text }: { text?: unknown }) =>
  typeof text === 'string' ? { words: text.split(/\s+/).filter(Boolean).length } : {}
