import { ServiceError } from 'fastify-services/client'

/** What is told of an error. The words of the engine are left out, since they differ by version. */
function toldOf(error: unknown): unknown {
  if (!(error instanceof Error)) return `throws ${String(error)}`
  if (/^(Type|Range|Syntax|URI)Error$/.test(error.name) || error instanceof DOMException) return error.name
  if (!(error instanceof ServiceError)) return `${error.name}: ${error.message}`
  const { name, className, code, message, data, errors, cause } = error
  const Class = error.constructor.name
  const short = `${name === Class ? '' : `${Class} `}${name} ${code} ${className}: ${message}`
  const more = { data, errors, cause: cause === undefined ? undefined : toldOf(cause) }
  return JSON.stringify(more) === '{}' ? short : { error: short, ...more }
}

/** What a call gives, or throws, or rejects with. */
export async function outcome(call: () => unknown): Promise<unknown> {
  try {
    const result = await call()
    return result === undefined ? '(undefined)' : result
  } catch (error) {
    return toldOf(error)
  }
}

/** A value that may be no JSON, in a few words. */
export function shown(value: unknown): unknown {
  if (typeof value === 'function') return `function ${value.name}`
  if (ArrayBuffer.isView(value))
    return `${value.constructor.name} ${Buffer.from(value.buffer, value.byteOffset, value.byteLength)}`
  if (value === undefined) return 'undefined'
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(shown)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value.constructor.name
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shown(part)]))
}

/** What a library got. */
export interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

/** A `fetch` that sends nothing: it writes down what it gets, and answers by `answer`. */
export function createFetch(answer: (sent: Sent) => Response | Promise<Response> = () => Response.json({})) {
  const sent: Sent[] = []
  const library = async (url: string, { method, headers, body }: Omit<Sent, 'url'>) => {
    const request = { method, url, headers, body }
    sent.push(request)
    return answer(request)
  }
  return { sent, library: library as never }
}

/** What a call sends, in full, or else its error. */
export const requestOf =
  (sent: Sent[]) =>
  async (call: () => unknown): Promise<unknown> => {
    const result = await outcome(call)
    const all = sent.splice(0).map(({ method, url, headers, body }) => {
      const line = `${method} ${url} ${Object.entries(headers)
        .map((header) => header.join('='))
        .join(' ')}`
      return body === undefined ? line : [line, shown(body)]
    })
    return all.length === 0 ? result : all.length === 1 ? all[0] : all
  }

/** The outcomes of all rows of a table, one after the other. */
export async function outcomes<Row>(
  rows: Readonly<Record<string, Row>>,
  run: (row: Row, name: string) => unknown
): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(rows)) all[name] = await outcome(() => run(row, name))
  return all
}
