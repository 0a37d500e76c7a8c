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
  const all = rows.flatMap(({ methods }) => methods)
  const widthOf = (column: number) => Math.max(...all.map((cells) => (cells[column] as string).length))
  const toLine = (cells: readonly string[]) =>
    `  ${cells.map((cell, column) => cell.padEnd(widthOf(column))).join('  ')}`.trimEnd()
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
