import type { Test } from 'tap'

/** A `curl` command of a page, and the answer that the page gives for it. */
export interface Exchange {
  readonly command: string
  readonly path: string
  readonly init: { method: string; headers: Record<string, string>; body?: string; redirect: 'manual' }
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** `undefined` for an empty one; what ends in `…` is its beginning, `…` within it is any text; `$NAME` in it gives a value its name. */
  readonly body: string | undefined
}

/** The values that the answers of a program have named: `$NAME`. */
export type Names = Map<string, string>

const name = /\$([A-Z][A-Z0-9_]*)/

/**
 * The request of a command, with the values of the names that it holds.
 * @throws when no answer has given one of them
 */
function fill({ path, init }: Exchange, names: Names): Pick<Exchange, 'path' | 'init'> {
  const filled = JSON.stringify({ path, init }).replace(new RegExp(name, 'g'), (all, key: string) => {
    const value = names.get(key)
    if (value === undefined) throw new Error(`No answer has named ${all}`)
    return value
  })
  return JSON.parse(filled)
}

/**
 * The pattern of a body that has `…` or names: one that has a value stands for that, a new one for any. `undefined` for other
 * bodies.
 */
function toPattern(body: string, names: Names): RegExp | undefined {
  if (!body.includes('…') && !name.test(body)) return undefined
  const groups = new Set<string>()
  const parts = body
    .replace(/…$/, '')
    .split(new RegExp(name, 'g'))
    .map((part, index) => {
      const isText = index % 2 === 0
      if (isText || names.has(part)) return literal(isText ? part : String(names.get(part)))
      const isNew = !groups.has(part)
      groups.add(part)
      return isNew ? `(?<${part}>[^",{}]+)` : `\\k<${part}>`
    })
  return new RegExp(`^${parts.join('')}${body.endsWith('…') ? '' : '$'}`)
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')

/** Sends a command to the server at an address, and compares the answer with that of the page, whose names it adds to `names`. */
export async function ask(t: Test, address: string, exchange: Exchange, names: Names): Promise<void> {
  const { command, status, headers, body = '' } = exchange
  const { path, init } = fill(exchange, names)
  const response = await fetch(address + path, init)
  const answer = await response.text()
  t.equal(response.status, status, command)
  for (const [name, value] of Object.entries(headers)) t.equal(response.headers.get(name), value, `${command}: ${name}`)
  const pattern = toPattern(body, names)
  if (pattern === undefined) t.strictSame(parsed(answer), parsed(body), command)
  else {
    t.match(answer, pattern, command)
    for (const [name, value] of Object.entries(pattern.exec(answer)?.groups ?? {})) names.set(name, value)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.trim()
  }
}

/**
 * Reads the commands of a `sh` block. Behind each stands its answer: `# <status> <body>`, then a line for each header, `# name: value`,
 * then further lines of the body.
 */
export function readExchanges(text: string): Exchange[] {
  const exchanges: Exchange[] = []
  for (const part of text.replaceAll('\\\n', '').split(/^(?=curl )/m)) {
    const lines = part.trim().split('\n')
    // A body may have several lines.
    const end = Math.max(
      1,
      lines.findIndex((line) => line.startsWith('# '))
    )
    const [command, rest] = [lines.slice(0, end).join('\n'), lines.slice(end)]
    if (!command.startsWith('curl ') || rest.length === 0 || rest.some((line) => !line.startsWith('# '))) {
      throw new Error(`Not a curl command with its answer: ${part}`)
    }
    exchanges.push({ command, ...readCommand(command), ...readAnswer(rest.map((line) => line.slice(2))) })
  }
  return exchanges
}

function readAnswer([first = '', ...rest]: string[]): Pick<Exchange, 'status' | 'headers' | 'body'> {
  const [, status, body] = /^(\d{3})(?: (.+))?$/.exec(first) ?? []
  if (status === undefined) throw new Error(`An answer begins with its status: ${first}`)
  const header = /^([a-z-]+): (.+)$/
  const headers = Object.fromEntries(
    rest
      .map((line) => header.exec(line))
      .filter((match) => match !== null)
      .map(([, name, value]) => [name, value])
  )
  const lines = [body, ...rest.filter((line) => !header.test(line))].filter((line) => line !== undefined)
  return { status: Number(status), headers, body: lines.length === 0 ? undefined : lines.join('\n') }
}

/** The words of a command, as a shell reads them: a word may be made of parts in quotes. */
function toWords(command: string): string[] {
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => {
      if (single !== undefined && name.test(single))
        throw new Error(`A shell fills in no name in single quotes: ${word}`)
      return single ?? double ?? ''
    })
  )
}

/** Knows the options that the pages use, and no others. */
function readCommand(command: string): Pick<Exchange, 'path' | 'init'> {
  const words = toWords(command).slice(1)
  const headers: Record<string, string> = {}
  let method: string | undefined
  let body: string | undefined
  let path: string | undefined
  const fields: string[] = []
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-g') continue
    if (word === '-X') method = words.shift()
    else if (word === '-H') {
      const [name = '', value = ''] = words.shift()?.split(/: ?(.*)/) ?? []
      headers[name.toLowerCase()] = value
    } else if (word === '--json') {
      body = words.shift()
      Object.assign(headers, { 'content-type': 'application/json', accept: 'application/json' })
    } else if (word === '-d') {
      body = words.shift()
      headers['content-type'] ??= 'application/x-www-form-urlencoded'
    } else if (word === '-F') fields.push(words.shift() ?? '')
    else if (word.startsWith('localhost:3030/')) path = word.slice('localhost:3030'.length)
    else throw new Error(`Not known of curl: ${word}`)
  }
  if (path === undefined) throw new Error(`No address: ${command}`)
  if (fields.length > 0) {
    body = toForm(fields)
    headers['content-type'] = 'multipart/form-data; boundary=form'
  }
  return {
    path,
    init: {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body })
    }
  }
}

/** The body of a form: each field is `name=value`, or `name=content;filename=…;type=…` for a file. */
function toForm(fields: readonly string[]): string {
  const parts = fields.map((field) => {
    const [, name, content, filename, type] = /^(\w+)=([^;]*)(?:;filename=([^;]+))?(?:;type=(.+))?$/.exec(field) ?? []
    if (name === undefined) throw new Error(`Not known of curl: -F ${field}`)
    const disposition = `Content-Disposition: form-data; name="${name}"${filename ? `; filename="${filename}"` : ''}`
    return ['--form', disposition, ...(type ? [`Content-Type: ${type}`] : []), '', content].join('\r\n')
  })
  return [...parts, '--form--', ''].join('\r\n')
}
