/**
 * Who calls. Augment it to say what a user is: `params.user` of methods and of the hooks of a
 * service, `request.user` and what a login gives have this type. Its keys are names of entities,
 * `user` by default.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Identity { user: User }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by the applications that augment it
export interface Identity {}

/**
 * A user whose fields TypeScript does not know, since no `Identity` says what a user is. Declare it
 * once (docs/login-reference.md#the-type-of-a-user), and `params.user` and `request.user` have its
 * fields.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its name is what TypeScript says where a field of a user is read
export interface UndeclaredUser {}

/**
 * What the application says that a user is. Where it says nothing, all values are one: TypeScript
 * names the first of the types where a field is read.
 */
// biome-ignore lint/complexity/noBannedTypes: a user of unknown type is one, too
export type User = Identity extends { user: infer U } ? U : UndeclaredUser | {} | null | undefined

/** Who calls a method, or a route that `authenticate` guards. */
export type Identified = Partial<Identity> & { user?: User }
