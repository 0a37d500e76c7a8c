import type { FastifyInstance } from 'fastify'

/** Creates the error for a part of a request that its schema refuses. */
export type SchemaErrorFormatter = (
  issues: readonly { readonly instancePath?: string; readonly message?: string }[],
  part: string
) => Error & { statusCode?: number; code?: string }

/**
 * Returns the `schemaErrorFormatter` of an application, set for all of it or for a plugin. Fastify
 * calls it for a whole body only, while a batch is validated record by record, and has no getter:
 * it keeps the function under a symbol of the instance, which is found by its description. Seen in
 * Fastify 5.12.8.
 * @param root the outermost instance
 */
export function schemaErrorFormatterOf(
  instance: FastifyInstance,
  root: FastifyInstance
): SchemaErrorFormatter | undefined {
  const isFormatter = ({ description }: symbol) => description === 'fastify.schemaErrorFormatter'
  const symbol = Object.getOwnPropertySymbols(root).find(isFormatter)
  return Reflect.get(instance, symbol as symbol) ?? undefined
}
