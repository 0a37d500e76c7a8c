import { type Describable, describe, type MethodDescription } from '../core/description.js'

/**
 * The services as a text for people: each method with its verb, its path and who may call it.
 *
 * @example
 * posts
 *   find    GET    /posts       anybody
 *   create  POST   /posts       Bearer; admin, member (title, text)
 */
export function printServices(entries: readonly Describable[]): string {
  const described = entries.map((entry) => describe(entry))
  const rows = described.map(({ path, methods }) => ({
    path,
    methods: methods.flatMap((method) => endpointRows(path, method))
  }))
  const widths = [0, 1, 2].map((column) =>
    Math.max(0, ...rows.flatMap(({ methods }) => methods.map((cells) => cells[column]?.length ?? 0)))
  )
  const toLine = (cells: readonly string[]) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()
  return rows.map(({ path, methods }) => [path || '/', ...methods.map(toLine), ''].join('\n')).join('\n')
}

const endpointRows = (path: string, { name, forms, isByHeader, security, access }: MethodDescription): string[][] =>
  forms.map(({ verb, path: below }) => {
    const url = `/${[path, below].filter((part) => part !== '').join('/')}`
    const callers = security.map((schemes) => Object.keys(schemes).join(' and ')).join(' or ')
    return [
      name,
      verb,
      isByHeader ? `${url} (X-Service-Method: ${name})` : url,
      [callers || 'anybody', ...access].join('; ')
    ]
  })
