import { argumentsOf, type Call, type SentRequest } from './call.js'
import { group, quote, toJSON, toKey, toLiteral } from './literal.js'
import type { Operation } from './services.js'

/** A request to copy. */
export interface RequestTexts {
  readonly curl: string
  readonly fetch: string
  readonly typescript: string
}

export const toTexts = (
  call: Call,
  request: SentRequest,
  base: string,
  headers: SentRequest['headers']
): RequestTexts => ({
  curl: toCurl(request, call.isStream),
  fetch: toFetch(request, call.isStream),
  typescript: toTypeScript(call, base, headers)
})

/** Returns the forms that a secret text has in a command or a program. */
export const formsOf = (secret: string): string[] => {
  const json = toJSON(secret)
  return [...new Set([json, json.replaceAll("'", "'\\''"), quote(secret)])]
}

/** Returns the forms that a secret header has in a command or a program. */
export const headerForms = (secret: string): string[] => [secret.replaceAll("'", "'\\''"), quote(secret)]

/** Brackets and dollars in a query are as good as their codes, and can be read. */
const readable = (url: string) => {
  const [path = '', ...query] = url.split('?')
  const codes: Record<string, string> = { '%24': '$', '%5B': '[', '%5D': ']' }
  return [path, ...query.map((part) => part.replace(/%(24|5B|5D)/g, (code) => codes[code] as string))].join('?')
}

/** A word of a shell. */
const toWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const isFormData = (body: unknown): body is FormData => body instanceof FormData

function toCurl({ method, url, headers, body }: SentRequest, isStream = false): string {
  const address = readable(url)
  const headerWords = Object.entries(headers).map(([name, value]) => `-H ${toWord(`${name}: ${value}`)}`)
  const data = isFormData(body)
    ? [...body].map(([name, value]) => `-F ${toWord(formField(name, value))}`)
    : body === undefined
      ? []
      : [`--data-raw ${toWord(toPrintable(body))}`]
  // GET and POST are what it sends by itself.
  const isDefault = method === (data.length > 0 ? 'POST' : 'GET')
  const verb = isDefault ? '' : ` -X ${method}`
  // Brackets would be ranges.
  const globs = /[[\]{}]/.test(address) ? ' -g' : ''
  // Without `-N`, curl buffers the events of a stream.
  const unbuffered = isStream ? ' -N' : ''
  return [`curl${unbuffered}${globs}${verb} ${toWord(address)}`, ...headerWords, ...data].join(' \\\n  ')
}

// A body is JSON here, which may be written without characters that can't be seen.
const toPrintable = (body: unknown) => toJSON(JSON.parse(String(body)))

const inQuotes = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

const formField = (name: string, value: string | File) =>
  typeof value === 'string'
    ? `${name}=${inQuotes(value)}`
    : `${name}=@${inQuotes(value.name)}${value.type && `;type=${value.type}`}`

function toFetch({ method, url, headers, body }: SentRequest, isStream = false): string {
  const lines = formLines(body)
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quote(method)}`]),
    `headers: ${toLiteral(headers, '  ')}`,
    ...(isFormData(body)
      ? ['body']
      : body === undefined
        ? []
        : [`body: JSON.stringify(${toLiteral(JSON.parse(String(body)), '  ')})`])
  ]
  return [
    ...lines,
    `const response = await fetch(${quote(readable(url))}, {\n  ${options.join(',\n  ')}\n})`,
    isStream
      ? 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text)'
      : 'console.log(response.status, await response.text())'
  ].join('\n')
}

function toTypeScript(call: Call, base: string, headers: SentRequest['headers']): string {
  if (call.isStream) return toLiveList(call, base, headers)
  const { service, operation, data } = call
  const headerOptions = Object.keys(headers).length === 0 ? '' : `, { headers: ${toLiteral(headers)} }`
  const path = quote(service.path)
  const routes = operation.isCustom && operation.route !== undefined
  const named = Object.fromEntries([[operation.name, operation.route]])
  const type = operation.isCustom ? `<${typeOf(operation, routes && toLiteral(named))}>` : ''
  const name = /^[a-z]\w*$/i.test(operation.name) ? `.${operation.name}` : `[${quote(operation.name)}]`
  const start = `const result = await app.service${type}(${path})${name}`
  const short = argumentsOf(call).map((argument) => (isFormData(argument) ? 'body' : toLiteral(argument)))
  const long = argumentsOf(call).map((argument) => (isFormData(argument) ? 'body' : toLiteral(argument, '  ')))
  // A single object begins on the line of the call.
  const argumentList = short.length === 1 ? `(${short[0]})` : group(long, '', ['(', ')', ''], start.length)
  return [
    `import { createClient, rest${routes ? ', type WithRoutes' : ''} } from 'fastify-services/client'`,
    '',
    `const connection = rest(${quote(base)}).fetch(fetch${headerOptions})`,
    `const app = createClient(${routes ? toLiteral({ routes: { [service.path]: named } }) : ''}).configure(connection)`,
    ...formLines(data),
    '',
    start + argumentList,
    'console.log(result)'
  ].join('\n')
}

function toLiveList(call: Call, base: string, { Accept: _, ...headers }: SentRequest['headers']): string {
  const headerOptions = Object.keys(headers).length === 0 ? '' : `, { headers: ${toLiteral(headers)} }`
  return [
    "import { createClient, rest } from 'fastify-services/client'",
    "import { events } from 'fastify-services/client/events'",
    '',
    `const connection = rest(${quote(base)}).fetch(fetch${headerOptions})`,
    'const app = createClient().configure(connection).configure(events())',
    '',
    `const list = app.service(${quote(call.service.path)}).live(${argumentsOf(call).map((argument) => toLiteral(argument))})`,
    'list.subscribe(({ state, data }) => console.log(state, data))'
  ].join('\n')
}

/** A type of a service with a custom method: without one, the compiler knows the six alone. */
function typeOf({ name, hasId }: Operation, routes: string | false): string {
  const methodType = `{ ${toKey(name)}(${hasId ? 'id: unknown, data: unknown' : 'data?: unknown'}): Promise<unknown> }`
  return routes ? `WithRoutes<${methodType}, ${routes}>` : methodType
}

function formLines(body: unknown): string[] {
  if (!isFormData(body)) return []
  const fields = [...body].map(([name, value]) => {
    if (typeof value === 'string') return `body.append(${quote(name)}, ${quote(value)})`
    const file = quote(value.name)
    return `body.append(${quote(name)}, await openAsBlob(${file}, { type: ${quote(value.type)} }), ${file})`
  })
  const hasFile = [...body].some(([, value]) => typeof value !== 'string')
  return [
    ...(hasFile ? ["const { openAsBlob } = await import('node:fs')"] : []),
    'const body = new FormData()',
    ...fields
  ]
}
