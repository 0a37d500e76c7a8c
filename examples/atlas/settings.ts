import { StartError } from './start-error.js'

/** The settings of the environment. An empty one counts as none. */
export function readSettings(env: NodeJS.ProcessEnv) {
  const number = (name: string, standard: number, [min, max]: [number, number]) => {
    const value = env[name] || String(standard)
    if (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    throw new StartError(`${name} is a number from ${min} to ${max}, not '${value}'`)
  }
  return {
    host: env.HOST || '127.0.0.1',
    port: number('PORT', 3030, [0, 65535]),
    folder: env.ATLAS_DATA,
    url: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    databaseTimeout: number('DATABASE_TIMEOUT', 5000, [1, 600_000]),
    shutdownTimeout: number('SHUTDOWN_TIMEOUT', 10_000, [1, 600_000]),
    secret: env.AUTH_SECRET,
    rateLimit: number('RATE_LIMIT', 10, [0, 1_000_000]),
    trustProxy: env.TRUST_PROXY,
    origins: env.CORS_ORIGIN ? env.CORS_ORIGIN.split(',').map((origin) => origin.trim()) : [],
    maxLag: number('MAX_LAG', 1000, [0, 600_000]),
    logger: { level: env.LOG_LEVEL || 'warn' }
  }
}
