/**
 * What a hook gets that names no service, and what no service tells, such as an error: what Feathers' types give, so that hooks written for
 * Feathers compile unchanged. A hook with the name of its service, `HookContext<Messages>`, is checked.
 */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would make each of these hooks an error
export type Untyped = any

/** The params of a call of a service that is not named. */
export interface UntypedParams {
  query?: Untyped
  provider?: Untyped
  route?: Untyped
  headers?: Untyped
  signal?: Untyped
  [name: string]: Untyped
}
