/**
 * Methods and headers for `@fastify/cors`, for pages of another origin. They cover custom methods,
 * conditional writes, retries, live lists and rate limits.
 *
 * @example
 * await app.register(cors, { origin: ['https://app.example.com'], ...corsOptions })
 * await app.register(services)
 */
export const corsOptions: { methods: string[]; allowedHeaders: string[]; exposedHeaders: string[] } = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'Last-Event-ID',
    'X-API-Key',
    'X-Events-Call',
    'X-Service-Method'
  ],
  exposedHeaders: [
    'Accept-Patch',
    'Accept-Query',
    'Allow',
    'Content-Disposition',
    'Deprecation',
    'ETag',
    'Idempotency-Replayed',
    'Link',
    'Location',
    'Retry-After',
    'Sunset',
    'WWW-Authenticate',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Request-Id'
  ]
}
