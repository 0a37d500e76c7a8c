/**
 * The caller. Augment it with the type of your users: `params.user` in methods and in hooks of a
 * service, `request.user` and the result of a login have this type. Its keys are names of entities,
 * `user` by default.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Identity { user: User }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications augment it
export interface Identity {}

/**
 * A user whose fields TypeScript does not know, since `Identity` has no type of a user. Declare it
 * once (docs/authentication.md#the-type-of-a-user), and `params.user` and `request.user` have its
 * fields.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its name is shown in errors
export interface UndeclaredUser {}

/**
 * The user of `Identity`. Without one, any value is a user: TypeScript shows the first of these
 * types in the error if a field is read.
 */
// biome-ignore lint/complexity/noBannedTypes: a user may have any type
export type User = Identity extends { user: infer U } ? U : UndeclaredUser | {} | null | undefined

/** The user of `Identity`, or an object with any fields. */
export type AnyUser = Identity extends { user: infer U } ? U : Readonly<Record<string, unknown>>

/** The params with the caller of a method, or of a route that `authenticate` guards. */
export type Identified = Partial<Identity> & { user?: User }
