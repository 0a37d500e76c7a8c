import { checkClient } from '../options.js'

/** A client of `ioredis`, for one server or a cluster. */
export interface RedisClient {
  duplicate(): RedisClient
  callBuffer(...args: [command: string, ...args: (string | Buffer | number)[]]): Promise<unknown>
  on(event: string, listener: (error: unknown) => void): unknown
  disconnect(): void
}

/** @throws {TypeError} if it is no client of `ioredis` with these methods */
export const checkRedis = (who: string, client: unknown, methods: readonly (keyof RedisClient)[]): void =>
  checkClient(who, 'a client of ioredis, as new Redis(url)', client, methods)
