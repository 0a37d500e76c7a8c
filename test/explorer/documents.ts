const text = { type: 'string' }
export const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text]))
})
export const json = (schema: unknown, type = 'application/json') => ({ content: { [type]: { schema } } })
export const mark = (method: unknown, route?: unknown, rest: object = {}) => ({
  'x-service': { path: 'posts', method, route, ...rest }
})
