const hookApplication = Symbol('hookApplication')

/** Under this name, what hooks get in place of an instance says which one it stands for. */
export const instance: unique symbol = Symbol('instance')

/** Makes what stands for an instance. */
export type ToApplication = (instance: object) => object

interface WithApplication {
  [hookApplication]?: ToApplication
}

/** Hooks of the services of an instance, and of all inside it, get something else in its place once they are composed anew. */
export function setHookApplication(app: object, toApplication: ToApplication): void {
  ;(app as WithApplication)[hookApplication] = toApplication
}

/** Whether a hook application was set on this instance itself, not on one around it. */
export const hasHookApplication = (app: object): boolean => Object.hasOwn(app, hookApplication)

/** What makes the applications of an instance. */
export const toApplicationOf = (app: unknown): ToApplication | undefined =>
  (Object(app) as WithApplication)[hookApplication]

/** What hooks get as `context.app`: the instance, unless something else stands for it. */
export const hookApplicationOf = (app: unknown): unknown => toApplicationOf(app)?.(app as object) ?? app

/** The instance that hooks have got as `context.app`, whatever stands for it. */
export const instanceOf = <A extends object>(app: A): A => (app as { [instance]?: A })[instance] ?? app
