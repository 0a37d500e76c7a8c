/** The outermost instance of an application. A request that finds no route runs its hooks, wherever a plugin was registered. */
export function rootOf<T extends object>(app: T): T {
  let root = app
  while (!Object.hasOwn(root, 'routing')) root = Object.getPrototypeOf(root)
  return root
}
