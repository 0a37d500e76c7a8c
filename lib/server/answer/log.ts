import type { FastifyBaseLogger } from 'fastify'

/** Logs an error. If the logger fails on it, as on a frozen one, it logs the message alone. */
export function logError(
  log: FastifyBaseLogger,
  level: 'error' | 'info' | 'debug',
  err: unknown,
  message: string,
  fields?: object
): void {
  logRecord(log, level, { ...fields, err }, message, fields)
}

/** Logs a record. If the logger fails on it, it logs the fields instead. */
export function logRecord(
  log: FastifyBaseLogger,
  level: 'error' | 'info' | 'debug',
  record: { readonly err: unknown },
  message: string,
  fields: object = {}
): void {
  try {
    log[level](record, message)
  } catch (failure) {
    log[level](fields, `${message} (it can not be logged: ${String(failure)})`)
  }
}
