/** A request of a replay. */
export interface ReplayStep {
  readonly verb?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | FormData | URLSearchParams
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

// Headers of a connection, and those whose value is another one each time.
const passing = ['connection', 'keep-alive', 'date', 'transfer-encoding', 'content-length', 'last-modified']

/** Sends a request, and keeps the cookies that come. */
export async function send(base: string, { url, verb = 'GET', ...rest }: ReplayStep, cookies: Map<string, string>) {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  const headers = { accept: 'application/json', ...(cookie && { cookie }), ...rest.headers }
  const init = { method: verb, redirect: 'manual', headers } as const
  const response = await fetch(url.startsWith('/') ? base + url : url, {
    ...init,
    ...(rest.body !== undefined && { body: rest.body })
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (name !== undefined) cookies.set(name, value as string)
  }
  const text = await response.text()
  const isJSON = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  const lasting = [...response.headers]
    .filter(([name]) => !passing.includes(name))
    .map(([name, value]) => [name, name === 'set-cookie' ? value.replace(/=[^;]*/, '=…') : value])
  return { status: response.status, headers: Object.fromEntries(lasting), body: isJSON ? JSON.parse(text) : text }
}

/** Sends all requests, one after the other, to one server. */
export async function replay(base: string, steps: readonly ReplayStep[]): Promise<readonly Answer[]> {
  const cookies = new Map<string, string>()
  const answers: Answer[] = []
  for (const step of steps) answers.push(await send(base, step, cookies))
  return answers
}

/** What differs between the answers of two servers, a line for each status, header and body. */
export function differences(
  steps: readonly ReplayStep[],
  theirs: readonly Answer[],
  ours: readonly Answer[]
): string[] {
  return steps.flatMap(({ verb = 'GET', url }, index) => {
    const [theirAnswer, ourAnswer] = [theirs[index], ours[index]] as [Answer, Answer]
    const names = [...new Set([...Object.keys(theirAnswer.headers), ...Object.keys(ourAnswer.headers)])].sort()
    const parts: [string, unknown, unknown][] = [
      ['status', theirAnswer.status, ourAnswer.status],
      ...names.map((name): [string, unknown, unknown] => [name, theirAnswer.headers[name], ourAnswer.headers[name]]),
      ['body', JSON.stringify(theirAnswer.body), JSON.stringify(ourAnswer.body)]
    ]
    return parts
      .filter(([, left, right]) => left !== right)
      .map(([part, left, right]) => `${verb} ${url}: ${part}: ${left ?? 'none'} → ${right ?? 'none'}`)
  })
}
