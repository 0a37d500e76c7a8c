import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { HookContext } from 'fastify-services'
import t from 'tap'
import { withTraits } from '../../lib/core/hooks.js'
import { Caller } from '../../lib/core/http-call.js'
import { keepHeaders, restoreHeaders } from '../../lib/server/answer/reply.js'
import { begin, observer } from '../../lib/server/observer.js'
import { RestParams } from '../../lib/server/request/arguments.js'
import { isKept } from '../support/kept.js'
import { createRaw } from './raw-response.js'

const failure = (act: () => unknown): unknown => {
  try {
    return act() ?? 'nothing'
  } catch (error) {
    return `throws ${(error as Error).name}: ${(error as Error).message}`
  }
}

t.test('which headers are left for an error', async (t) => {
  const rows: unknown[] = []
  for (const isKeptBefore of [true, false])
    for (const headersSent of [true, false]) {
      const cookies = ['a=1']
      const headers: Record<string, unknown> = {
        'x-before': 'a',
        'set-cookie': cookies,
        etag: 'e',
        'x-none': undefined,
        'x-zero': 0
      }
      const removed: string[] = []
      const reply = {
        request: {},
        raw: { headersSent, removeHeader: (name: string) => void removed.push(name) },
        getHeaders: () => headers,
        removeHeader: (name: string) => void delete headers[name],
        header: (name: string, value: unknown) => void Object.assign(headers, { [name]: value })
      } as unknown as FastifyReply
      if (isKeptBefore) keepHeaders(reply)
      cookies.push('b=2')
      Object.assign(headers, { 'x-before': 'b', 'x-after': 'c', 'content-encoding': 'gzip', 'last-modified': 'now' })
      if (isKeptBefore) keepHeaders(reply)
      restoreHeaders(reply)
      rows.push([`kept: ${isKeptBefore}, sent: ${headersSent}`, headers, removed])
    }
  isKept(t, rows, 'test/server/whole-restored.txt')
})

t.test('what is watched of calls', async (t) => {
  const rows: Record<string, unknown> = {}
  const context = (fields: object = {}) => ({ path: 'things', method: 'get', ...fields }) as unknown as HookContext
  const from = (fields: object = {}) => new Caller({}, createRaw(fields).raw)
  const paramsOf = (caller: Caller) => new RestParams({}, {}, {}, undefined, caller)
  const signal = (value: unknown) => {
    const found = (value as { signal?: unknown } | undefined)?.signal
    return found instanceof AbortSignal ? `a signal, aborted: ${found.aborted}` : String(found)
  }
  for (const [name, params] of Object.entries({
    object: {},
    frozen: Object.freeze({}),
    own: { signal: 'mine' },
    'none of its own': { signal: undefined }
  })) {
    const of = context()
    observer.lend(of, params as never)
    const before = signal(params)
    observer.lend(of, paramsOf(from()) as never)
    observer.lend(of, params as never)
    rows[`lent to ${name}`] = [before, signal(params), signal({ ...params }), Object.keys(params)]
  }
  for (const params of [undefined, null, 5]) {
    const of = context()
    observer.lend(of, paramsOf(from()) as never)
    rows[`lent to ${params}`] = failure(() => observer.lend(of, params as never))
  }
  const changed = paramsOf(from())
  Object.assign(changed, { signal: 'mine' })
  rows['a signal that is set'] = [
    signal(changed),
    Object.keys(changed),
    signal(new RestParams({}, {}, {}, { provider: 'x', a: 1 }, from()))
  ]
  const aborted = AbortSignal.abort(new Error('own reason'))
  for (const [name, own] of Object.entries({
    none: {},
    undefined: { signal: undefined },
    own: { signal: new AbortController().signal },
    aborted: { signal: aborted }
  }))
    for (const destroyed of [false, true]) {
      const of = context({ params: own })
      observer.lend(of, paramsOf(from({ destroyed })) as never)
      rows[`begins with ${name}, gone: ${destroyed}`] = failure(() => begin(of))
    }
  rows['begins without params'] = [
    failure(() => begin(context())),
    failure(() => begin(context({ params: { signal: aborted } })))
  ]
  const https: Record<string, object | undefined> = {
    none: undefined,
    empty: {},
    status: { status: 202 },
    headers: { headers: { a: '1' } }
  }
  for (const [name, http] of Object.entries(https)) {
    const of = context({ http })
    begin(of)
    if (http !== undefined) Object.assign(http, { location: '/late' })
    Object.assign(Object(Object(http).headers), { b: '2' })
    observer.fail(of, new Error('a'))
    const once = JSON.stringify(of.http)
    Object.assign(of.http ?? {}, { status: 299 })
    Object.assign(of.http?.headers ?? {}, { c: '3' })
    observer.fail(of, new Error('b'))
    rows[`fails with http: ${name}`] = [once, JSON.stringify(of.http)]
  }
  const early = context({ http: { status: 202 } })
  observer.fail(early, new Error('before it begins'))
  rows['fails before it begins'] = early.http
  for (const change of [
    {},
    { result: 'new' },
    { dispatch: 'new' },
    { result: 'new', dispatch: 'new' },
    { result: undefined }
  ]) {
    const of = context({ result: 'old', dispatch: 'shown' })
    observer.fail(of, new Error('a'))
    Object.assign(of, change)
    observer.see(of)
    const once = [of.result, of.dispatch]
    of.result = 'newer' as never
    of.dispatch = 'shown' as never
    observer.see(of)
    rows[`taken back with ${Object.entries(change).join(' ')}`] = [...once, of.dispatch].map(
      (one) => one ?? 'undefined'
    )
  }
  for (const field of ['result', 'dispatch'])
    for (const isOwn of [true, false]) {
      const { raw } = createRaw()
      const caller = new Caller({}, raw)
      const of = context({ [field]: new PassThrough() })
      caller.context = isOwn ? of : context()
      observer.lend(of, paramsOf(caller) as never)
      observer.see(of)
      const first = of[field as 'result'] as unknown as PassThrough
      Object.assign(of, { [field]: new PassThrough() })
      observer.see(of)
      observer.see(of)
      raw.emit('close')
      rows[`${field} of a call over HTTP: ${isOwn}`] = [first, of[field as 'result'] as unknown as PassThrough].map(
        ({ destroyed }) => destroyed
      )
    }
  const hooks = ['a', 'outer b', 'c', 'outer d', 'e', 'no outer f'].map((name) => {
    const hook = Object.defineProperty(async () => {}, 'name', { value: name })
    return name.includes('outer') ? withTraits(hook, { isOutermost: !name.startsWith('no') }) : hook
  })
  rows.arranged = observer.arrange(hooks).map(({ name }) => name)
  isKept(t, rows, 'test/server/whole-watch.txt')
})
