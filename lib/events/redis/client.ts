/** What is needed of a client of `ioredis`, for one server or a cluster. */
export interface RedisClient {
  duplicate(): RedisClient
  callBuffer(...args: [command: string, ...args: (string | Buffer | number)[]]): Promise<unknown>
  on(event: string, listener: (error: unknown) => void): unknown
  disconnect(): void
}
