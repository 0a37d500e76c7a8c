import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { HookContext } from 'fastify-services'
import { BadRequest } from 'fastify-services'
import t from 'tap'
import { mapStream, type RecordStream } from '../../lib/authentication/protected-stream.js'
import { isKept } from '../support/kept.js'
import { toldBy } from './outcomes.js'
import { getter, hook, own } from './protected-values.js'

const failure = () => new BadRequest('no', { ...own, why: 'x' })
const records: Record<string, readonly unknown[]> = {
  none: [],
  some: [own, { id: 2 }, 'text', [own]],
  'a failure at once': [failure],
  'a failure later': [own, failure, own],
  'one that can not be changed': [
    own,
    getter('a', () => {
      throw failure()
    }),
    own
  ]
}
const items = (list: readonly unknown[]) => list.map((one) => (typeof one === 'function' ? one() : one))

/** A source of each kind, which notes what is done to it. */
const sources: Record<string, (list: readonly unknown[], seen: string[]) => unknown> = {
  node(list, seen) {
    const [...rest] = items(list)
    return new Readable({
      objectMode: true,
      highWaterMark: 1,
      read() {
        seen.push('read')
        const next = rest.length === 0 ? null : rest.shift()
        if (next instanceof Error) this.destroy(next)
        else this.push(next)
      },
      destroy(error, done) {
        seen.push(`destroyed by ${error?.name}`)
        done(error)
      }
    })
  },
  web(list, seen) {
    const rest = items(list)
    return new ReadableStream(
      {
        pull(controller) {
          seen.push('read')
          const next = rest.shift()
          if (next instanceof Error) controller.error(next)
          else if (next === undefined) controller.close()
          else controller.enqueue(next)
        },
        cancel: (reason) => void seen.push(`cancelled by ${(reason as Error | undefined)?.name ?? reason}`)
      },
      { highWaterMark: 0 }
    )
  },
  iterable(list, seen) {
    const rest = items(list)
    return {
      [Symbol.asyncIterator]: () => ({
        async next() {
          seen.push('read')
          const value = rest.shift()
          if (value instanceof Error) throw value
          return { done: value === undefined, value, more: 1 }
        },
        async return(value: unknown) {
          seen.push(`returned ${value}`)
          return { done: true, value: 'ended' }
        }
      })
    }
  }
}
const isWeb = (stream: unknown): stream is ReadableStream => stream instanceof ReadableStream
const told = (error: unknown) => [toldBy(error), (error as BadRequest).data ?? null]

/** Reads a stream to its end, or so many records and closes it. */
async function read(stream: RecordStream, most = 99) {
  const got: unknown[] = []
  try {
    const all = isWeb(stream) ? stream : (stream as AsyncIterable<unknown>)
    if (most === 0) {
      if (isWeb(stream)) await stream.cancel('a reason')
      else if (stream instanceof Readable) stream.destroy(failure())
      else got.push(await (stream as AsyncGenerator).return?.(undefined))
    } else
      for await (const one of all as AsyncIterable<unknown>) {
        got.push(one)
        if (got.length === most) break
      }
  } catch (error) {
    got.push(told(error))
  }
  await setImmediate()
  if (stream instanceof Readable)
    got.push(`destroyed ${stream.destroyed}`, ...(stream.errored ? told(stream.errored) : []))
  return got
}

t.test('streams of each kind, read to their end or closed', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const [kind, create] of Object.entries(sources))
    for (const [name, list] of Object.entries(records))
      for (const most of [99, 1, 0]) {
        const seen: string[] = []
        const context = { params: { provider: 'rest' }, result: create(list, seen) } as unknown as HookContext
        await hook(context, async () => {})
        await setImmediate()
        const before = kind === 'node' ? [] : [...seen]
        const got = await read(context.result as RecordStream, most)
        kept[`${kind}, ${name}, ${most === 99 ? 'all' : most}`] = [
          got,
          before.join(),
          kind === 'node' ? seen.filter((one) => one !== 'read').join() : seen.join()
        ]
      }
  const bytes = Readable.from([Buffer.from('{"secret":1}')], { objectMode: false })
  const body = { params: { provider: 'rest' }, result: bytes } as unknown as HookContext
  await hook(body, async () => {})
  kept.bytes = [String((await read(body.result as RecordStream))[0]), (body.result as Readable).readableObjectMode]
  const server = { params: {}, result: bytes } as unknown as HookContext
  await hook(server, async () => {})
  kept['of the server'] = [server.result === bytes, server.dispatch]
  isKept(t, kept, 'test/authentication/whole-streams.txt')
})

t.test('sources that have no end, or that fail when they are closed', async (t) => {
  const fail = async () => {
    throw failure()
  }
  const kept: Record<string, unknown> = {}
  const iterator = (members: object) => ({ [Symbol.asyncIterator]: () => members }) as AsyncIterable<unknown>
  const next = async () => ({ done: false, value: own })
  const changes = {
    good: (one: unknown) => one,
    bad: () => {
      throw new Error('a bad record')
    }
  }
  const change = (error: unknown) => new Error(`changed: ${(error as Error).message}`)
  for (const [name, to] of Object.entries(changes)) {
    const rows = {
      'without return': iterator({ next }),
      'a return that fails': iterator({ next, return: fail }),
      'a next that fails': iterator({ next: fail }),
      'a cancel that fails': new ReadableStream({ pull: (controller) => controller.enqueue(own), cancel: fail })
    }
    for (const [row, source] of Object.entries(rows)) {
      kept[`${row}, ${name}`] = await read(mapStream(source as RecordStream, to, change as <E>(error: E) => E), 1)
    }
  }
  const locked = new ReadableStream()
  locked.getReader()
  const thrower = {
    [Symbol.asyncIterator]: () => {
      throw failure()
    }
  }
  for (const [name, result] of Object.entries({ thrower })) {
    const context = { params: { provider: 'rest' }, result } as unknown as HookContext
    kept[name] = await hook(context, async () => {}).catch(told)
  }
  const context = { params: { provider: 'rest' }, result: locked } as unknown as HookContext
  kept.locked = await hook(context, async () => {}).catch((error: Error) => error.name)
  isKept(t, kept, 'test/authentication/whole-stream-ends.txt')
})

t.test('a Response', async (t) => {
  const rows: Record<string, Response> = {
    'a text': new Response('{"secret":1}', {
      status: 201,
      statusText: 'Made',
      headers: { 'x-a': 'b', 'content-type': 'application/json' }
    }),
    'no body': new Response(null, { status: 204 }),
    'a stream that fails': new Response(sources.web?.([Buffer.from('a'), failure], []) as ReadableStream),
    'with a URL': Object.defineProperty(new Response('x'), 'url', { value: 'http://a/b' })
  }
  const kept: Record<string, unknown> = {}
  for (const [name, result] of Object.entries(rows)) {
    const context = { params: { provider: 'rest' }, result } as unknown as HookContext
    await hook(context, async () => {})
    const given = context.result as unknown as Response
    const body = await given.text().catch(told)
    kept[name] = [given === result, given.status, given.statusText, [...given.headers], given.url, body]
  }
  isKept(t, kept, 'test/authentication/whole-responses.txt')
})
