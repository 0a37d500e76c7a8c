import { servicesIn } from '../../lib/explorer/model/services.js'
import { toPlain, toShort } from './plain.js'

/** What is read of a document: of operations without what most are not. */
export const readAll = (document: unknown) =>
  [...servicesIn(document)].map(([path, { operations, many, ...service }]) => [
    path,
    toPlain(many.size === 0 ? service : { ...service, many: [...many.keys()] }),
    ...[...operations].map(([key, { bodies, record, query, ...rest }]) => {
      const others = Object.entries(rest).filter(
        ([name, value]) => value !== false && !(name === 'placeholders' && rest.placeholders.length === 0)
      )
      return [
        key,
        toPlain(Object.fromEntries(others)),
        ...(bodies.length === 0 ? [] : [{ bodies: bodies.map((body) => body.map(toShort)) }]),
        ...(record.length === 0 ? [] : [{ record: record.map(toShort) }]),
        ...(query.length === 0 ? [] : [{ query: query.map(({ operators, ...field }) => [toShort(field), operators]) }])
      ]
    })
  ])

export const text = { type: 'string' }
export const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text]))
})
export const json = (schema: unknown, type = 'application/json') => ({ content: { [type]: { schema } } })
export const mark = (method: unknown, route?: unknown, rest: object = {}) => ({
  'x-service': { path: 'posts', method, route, ...rest }
})
