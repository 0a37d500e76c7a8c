import { EventEmitter } from 'node:events'

/** A response of Node, as far as it is asked. */
export function createRaw(fields: object = {}) {
  const notes: unknown[] = []
  const destroy = (error?: Error) => void notes.push(`destroyed: ${error?.message ?? 'no error'}`)
  return {
    notes,
    raw: Object.assign(new EventEmitter(), {
      writableEnded: false,
      destroyed: false,
      headersSent: false,
      destroy,
      ...fields
    })
  }
}
