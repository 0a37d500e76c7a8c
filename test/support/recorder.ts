import type { Params } from 'fastify-services'

/** A call of a service's method: what stands before the params, and the params. */
export interface Call {
  readonly method: string
  readonly args: readonly unknown[]
  readonly params: Params
}

export const six = ['find', 'get', 'create', 'update', 'patch', 'remove'] as const

type Method = (...args: unknown[]) => Promise<unknown>

/** A service that keeps the calls it gets, and answers each one with what it was called with. */
export function createRecorder(names: readonly string[] = six): { service: Record<string, Method>; calls: Call[] } {
  const calls: Call[] = []
  const record =
    (method: string) =>
    async (...args: unknown[]) => {
      const params = args.at(-1) as Params
      calls.push({ method, args: args.slice(0, -1), params })
      return { method, args: args.slice(0, -1), query: params.query, route: params.route }
    }
  return { service: Object.fromEntries(names.map((name) => [name, record(name)])), calls }
}
