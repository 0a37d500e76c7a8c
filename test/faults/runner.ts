import { isDeepStrictEqual } from 'node:util'
import tap, { type Test } from 'tap'
import { Child } from '../support/child.js'
import { compare, type Expected } from './compare.js'
import { overHttp1, overHttp2, type Request } from './exchange.js'
import type { ServerOptions, State } from './server/control.js'

/** A case: what is sent, and what must come of it. */
export interface Row {
  readonly row: string
  readonly request: Request
  readonly expected: Expected
}

/** A server in a process of its own, and what it held before the first row. */
interface Server {
  readonly child: Child
  before?: State | undefined
}

// The tables of a file that ask for the same server share it: a start costs more than a hundred rows.
const servers = new Map<string, Server>()

function serverOf(options: ServerOptions): Server {
  const key = JSON.stringify(options)
  const server = servers.get(key) ?? { child: new Child('../faults/server/main.js', key) }
  if (!servers.has(key)) tap.teardown(() => server.child.stop())
  servers.set(key, server)
  return server
}

/**
 * Runs a table against a server in a process of its own. After each row: the process lives, nothing was printed, nothing is polluted,
 * no handle is there and no source is open that was not before. After each tenth, after the last and after one that failed, a plain
 * GET is 200.
 */
export async function runRows(t: Test, rows: readonly Row[], options: ServerOptions = {}): Promise<void> {
  const server = serverOf(options)
  const { child } = server
  const send = (request: Request) =>
    (options.http2 ? overHttp2 : overHttp1)(child.port, request, () => child.message('waiting'))
  // What is closed at all is closed at once: this is for a machine that has no time. Where a row has failed, the others are told soon.
  let patience = 5000
  for (const [index, { row, request, expected }] of rows.entries()) {
    if (!child.alive) {
      await child.start()
      await send(plain)
      server.before = await child.ask<State>('state')
      // What Fastify says of options of the host is no matter of a row.
      child.printed()
    }
    const answer = await send(request)
    const problems = [...compare(answer, request, expected)]
    if (problems.length > 0 || index % 10 === 9 || index === rows.length - 1) {
      const next = await send(plain)
      if (next.status !== 200) problems.push(`the next plain GET is ${next.status}`)
    }
    const leftOver = await leftOvers(child, server.before, expected, patience)
    // What a row has left behind is not held against the next one.
    if (leftOver.length > 0) {
      await child.kill()
      patience = 500
    }
    t.strictSame([...problems, ...leftOver], [], row)
  }
}

const plain: Request = { target: '/alive' }

/** What the process has kept of a row, once it has had the time to let go. */
async function leftOvers(
  child: Child,
  before: State | undefined,
  { calls }: Expected,
  patience: number
): Promise<string[]> {
  let state: State | undefined
  let problems: string[] = []
  const seen: State['calls'] = []
  for (
    const start = Date.now();
    Date.now() - start < patience;
    await new Promise((resolve) => setTimeout(resolve, 5))
  ) {
    state = await child.ask<State>('state')
    if (state === undefined) return [`the process has died: ${child.printed()}`]
    seen.push(...state.calls)
    problems = [...differences(state, before)]
    if (problems.length === 0 && seen.length >= (calls?.length ?? 0)) break
  }
  if (
    calls !== undefined &&
    !isDeepStrictEqual(
      seen,
      calls.map(({ method, id = null }) => ({ method, id }))
    )
  )
    problems.push(`calls: ${JSON.stringify(seen)}`)
  const printed = child.printed()
  return printed === '' ? problems : [...problems, `printed: ${printed}`]
}

function* differences(state: State, before: State | undefined): Generator<string> {
  if (state.open.length > 0) yield `not closed: ${state.open}`
  for (const [kind, count] of Object.entries(state.handles))
    if (count > (before?.handles[kind] ?? 0)) yield `${count} of ${kind}, before ${before?.handles[kind] ?? 0}`
  if (state.polluted.length > 0) yield `polluted: ${state.polluted}`
}
