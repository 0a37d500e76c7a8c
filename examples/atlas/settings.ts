const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * Reads the settings of the environment. An empty one counts as missing.
 *
 * @throws {Error} if a setting can't be used
 */
export function readSettings(env: NodeJS.ProcessEnv) {
  const number = (name: string, standard: number, [min, max]: [number, number]) => {
    const value = env[name] || String(standard)
    if (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    throw new Error(`${name} must be a number from ${min} to ${max}, not '${value}'`)
  }
  // The error does not show the value, which may contain a password.
  const address = (name: string, form: RegExp, example: string) => {
    if (!env[name] || form.test(env[name])) return env[name] || undefined
    throw new Error(`${name} must be an address such as ${example}`)
  }
  const level = env.LOG_LEVEL || 'warn'
  if (!levels.includes(level)) throw new Error(`LOG_LEVEL must be one of ${levels.join(', ')}, not '${level}'`)
  const origins = env.CORS_ORIGIN ? env.CORS_ORIGIN.split(',').map((origin) => origin.trim()) : []
  for (const origin of origins)
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new Error(`CORS_ORIGIN must list origins such as https://app.example.com, not '${origin}'`)
  return {
    host: env.HOST || '127.0.0.1',
    port: number('PORT', 3030, [0, 65535]),
    folder: env.ATLAS_DATA,
    url: address('DATABASE_URL', /^postgres(ql)?:\/\//, 'postgres://user:password@host:5432/database'),
    redisUrl: address('REDIS_URL', /^rediss?:\/\/[^/?#]*(\/\d*)?$/, 'redis://user:password@host:6379'),
    databaseTimeout: number('DATABASE_TIMEOUT', 5000, [1, 600_000]),
    shutdownTimeout: number('SHUTDOWN_TIMEOUT', 10_000, [1, 600_000]),
    secret: env.AUTH_SECRET,
    rateLimit: number('RATE_LIMIT', 10, [0, 1_000_000]),
    trustProxy: env.TRUST_PROXY,
    origins,
    maxLag: number('MAX_LAG', 500, [0, 600_000]),
    logger: { level }
  }
}
