import type { FastifyBaseLogger } from 'fastify'

/** Logs an error. One that the logger can't take, a frozen one for example, is told of without it. */
export function logError(
  log: FastifyBaseLogger,
  level: 'error' | 'info',
  err: unknown,
  message: string,
  fields: object = {}
): void {
  try {
    log[level]({ ...fields, err }, message)
  } catch (failure) {
    log[level](fields, `${message} (it can not be logged: ${String(failure)})`)
  }
}
