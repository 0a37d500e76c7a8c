const hookApplication = Symbol('hookApplication')

/** Under this name, what hooks get in place of an instance says which one it stands for. */
export const instance: unique symbol = Symbol('instance')

/** Makes what stands for an instance. */
export type ToApplication = (instance: object) => object

interface WithApplication {
  [hookApplication]?: ToApplication
}

// Most processes set no hook application: this flag is ten times as fast as the look-up on an instance.
let hasAny = false

/** From here on, hooks of the services of an instance, and of all inside it, get something else in its place. */
export function setHookApplication(app: object, toApplication: ToApplication): void {
  hasAny = true
  ;(app as WithApplication)[hookApplication] = toApplication
}

/** Whether a hook application was set on this instance itself, not on one around it. */
export const hasHookApplication = (app: object): boolean => Object.hasOwn(app, hookApplication)

/** What makes the applications of an instance. */
export const toApplicationOf = (app: unknown): ToApplication | undefined => (app as WithApplication)[hookApplication]

/** What hooks get as `context.app`: the instance, unless something else stands for it. */
export const hookApplicationOf = (app: unknown): unknown =>
  hasAny ? (toApplicationOf(app)?.(app as object) ?? app) : app

/** The instance that hooks have got as `context.app`, whatever stands for it. */
export const instanceOf = <A extends object>(app: A): A => (app as { [instance]?: A })[instance] ?? app
