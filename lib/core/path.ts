/** `/a/b/` → `a/b`: the name of the service that stands at a path. */
export function stripSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '')
}

/** Joins parts of a path to the name of a service: `/v1/`, `/messages` → `v1/messages`. */
export function joinPath(...parts: string[]): string {
  return parts.map(stripSlashes).filter(Boolean).join('/')
}
