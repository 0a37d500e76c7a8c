/** Under this name, an instance and all inside it say what hooks get as `context.app` in place of an instance. */
export const hookApplication: unique symbol = Symbol('hookApplication')

/** Under this name, what hooks get in place of an instance says which one it stands for. */
export const instance: unique symbol = Symbol('instance')

/** An instance of the application, as far as its hooks go. */
export interface WithHookApplication {
  [hookApplication]?: (instance: object) => object
}

/** What hooks get as `context.app`: the instance, unless something else stands for it. */
export const hookApplicationOf = (app: unknown): unknown =>
  (app as WithHookApplication)[hookApplication]?.(app as object) ?? app

/** The instance that hooks have got as `context.app`, whatever stands for it. */
export const instanceOf = <A extends object>(app: A): A => (app as { [instance]?: A })[instance] ?? app
