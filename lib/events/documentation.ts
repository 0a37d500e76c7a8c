const subscribe = {
  type: 'array',
  description:
    'The lists: `subscribe[0][path]=notes&subscribe[0][query][done]=false`. Default: all lists without placeholders that the caller may find.',
  items: {
    type: 'object',
    required: ['path'],
    properties: {
      path: { type: 'string', description: 'The path of the list, without a slash before it.' },
      query: { type: 'object', additionalProperties: true, description: 'The query of the list.' }
    }
  }
}

const errorBody = { type: 'object', additionalProperties: true }

const lastEventId = {
  type: 'string',
  description: 'The position behind which to go on: the id of the last event that has come.'
}

/** The schema of the route of streams for Fastify, which must not check requests by it. */
export const streamRoute = {
  operationId: 'listenToEvents',
  summary: 'Hear what happens to lists',
  description: 'A stream that stays open. The data of each event is an object with `path` and `event`.',
  tags: ['events']
}

/** The schema of the route of streams in documents of `openapi()`. */
export const streamSchema = {
  ...streamRoute,
  querystring: { type: 'object', properties: { subscribe } },
  headers: { type: 'object', properties: { 'Last-Event-ID': lastEventId } },
  response: {
    200: { description: 'The events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    '4xx': { description: 'The request, its credentials or one of its lists is refused.', ...errorBody },
    '5xx': { description: 'The server is closing, or has too many streams.', ...errorBody }
  }
}
