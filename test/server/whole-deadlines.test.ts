import { PassThrough } from 'node:stream'
import { errorCodes, type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify'
import t from 'tap'
import { Caller } from '../../lib/core/http-call.js'
import { startDeadline } from '../../lib/server/answer/deadline.js'
import { logError, logRecord } from '../../lib/server/answer/log.js'
import { isKept } from '../support/kept.js'
import { createRaw } from './raw-response.js'

/** Timers that pass when they are told to. */
function withTimers<T>(act: (pass: () => number[]) => T): T {
  const { setTimeout, clearTimeout } = globalThis
  let waiting: { call: () => void; ms: number }[] = []
  const clear = (timer: unknown) => {
    waiting = waiting.filter((one) => one !== timer)
  }
  const set = (call: () => void, ms: number) => waiting[waiting.push({ call, ms }) - 1]
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear })
  try {
    return act(() => {
      const due = waiting.splice(0)
      for (const { call } of due) call()
      return due.map(({ ms }) => ms)
    })
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout })
  }
}

t.test('when a call has taken too long', async (t) => {
  const rows: Record<string, unknown> = {}
  const run = (name: string, act: (parts: ReturnType<typeof create>) => unknown) =>
    withTimers((pass) => {
      const parts = create(pass)
      const told = act(parts)
      rows[name] = [...parts.notes, ...(told === undefined ? [] : [told]), `expired: ${parts.caller.hasExpired}`]
    })
  const create = (pass: () => number[]) => {
    const { notes, raw } = createRaw()
    const controller = new AbortController()
    const request = { signal: controller.signal, routeOptions: { url: '/things/:id' } } as unknown as FastifyRequest
    const caller = new Caller(request, raw)
    const reply = {
      raw,
      sent: false,
      send(payload: unknown) {
        notes.push(['sent', payload instanceof Error ? `${payload.name}: ${payload.message}` : payload, this === reply])
        return 'what send returns'
      }
    }
    startDeadline(50, caller, request, reply as unknown as FastifyReply)
    return { notes, raw, caller, reply, controller, pass }
  }
  run('nothing is sent', ({ pass }) => [pass(), pass()])
  run('it is sent in time', ({ reply, raw, pass }) => {
    const told = reply.send('text')
    Object.assign(reply, { sent: true })
    raw.headersSent = true
    return [told, pass(), pass()]
  })
  run('it ends in time', ({ raw, pass }) => {
    raw.emit('close')
    return [pass()]
  })
  run('the client has left', ({ raw, pass }) => {
    raw.destroyed = true
    return [pass()]
  })
  run('the answer has begun to flow', ({ raw, pass, reply }) => {
    reply.send('begins')
    raw.headersSent = true
    return [pass(), pass()]
  })
  run('hooks hold the answer', ({ pass, reply }) => {
    reply.send('held')
    return [pass(), pass(), pass()]
  })
  run('hooks hold the answer, not for as long again', ({ pass, reply, raw }) => {
    reply.send('held')
    const first = pass()
    raw.emit('close')
    return [first, pass()]
  })
  run('it is sent as late as that', ({ pass, reply }) => {
    const times = pass()
    const stream = new PassThrough()
    return [
      times,
      reply.send('late') === (reply as unknown),
      reply.send(stream) === (reply as unknown),
      stream.destroyed
    ]
  })
  run('it is sent late for the first time', ({ caller, reply }) => {
    caller.expire()
    return [reply.send('late'), reply.send('later') === (reply as unknown)]
  })
  const { FST_ERR_HANDLER_TIMEOUT: HandlerTimeout } = errorCodes
  for (const reason of [new HandlerTimeout('50', '/'), new Error('other'), undefined, 'text'])
    run(
      `the request is aborted: ${(reason as Error)?.name ?? reason}`,
      ({ controller }) => void controller.abort(reason)
    )
  isKept(t, rows, 'test/server/whole-deadlines.txt')
})

t.test('what is logged by loggers of each kind', async (t) => {
  const lines: unknown[] = []
  const write = (level: string) => (record: object, message: string) => {
    const { err } = record as { err?: Error }
    if (err?.message === 'fatal') throw new Error('It is frozen')
    lines.push([level, Object.keys(record), err?.message ?? 'no error', message])
  }
  const log = { error: write('error'), info: write('info') } as unknown as FastifyBaseLogger
  for (const level of ['error', 'info'] as const)
    for (const text of ['fine', 'fatal']) {
      logError(log, level, new Error(text), 'The message')
      logError(log, level, new Error(text), 'The message', { path: 'things' })
      logRecord(log, level, { err: new Error(text) }, 'The record')
      logRecord(log, level, { err: new Error(text) }, 'The record', { path: 'things' })
    }
  isKept(t, lines, 'test/server/whole-log.txt')
})
