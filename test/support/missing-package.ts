import { register } from 'node:module'

/** Makes imports of a package fail from now on, in a process of its own, as if it were not installed. */
export function hidePackage(name: string): void {
  const hooks = `export async function resolve(specifier, context, next) {
    if (specifier !== '${name}') return next(specifier, context)
    throw Object.assign(new Error("Cannot find package '${name}'"), { code: 'ERR_MODULE_NOT_FOUND' })
  }`
  register(`data:text/javascript,${encodeURIComponent(hooks)}`)
}
