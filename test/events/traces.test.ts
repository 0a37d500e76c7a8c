import { tracingChannel } from 'node:diagnostics_channel'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { TracedStream } from 'fastify-services/events'
import t, { type Test } from 'tap'
import { list, memory, serviceAt, startEvents } from '../support/events-app.js'

/** Waits for the streams that begin and end, in their order. */
function traced(t: Test) {
  const { start, asyncEnd } = tracingChannel<string, TracedStream>('fastify-services:stream')
  const notes: [string, TracedStream][] = []
  let told = () => {}
  const noteOf = (event: string) => (stream: unknown) => {
    notes.push([event, stream as TracedStream])
    told()
  }
  const [onStart, onEnd] = [noteOf('start'), noteOf('end')]
  start.subscribe(onStart)
  asyncEnd.subscribe(onEnd)
  t.teardown(() => {
    start.unsubscribe(onStart)
    asyncEnd.unsubscribe(onEnd)
  })
  return async () => {
    while (notes.length === 0)
      await new Promise<void>((resolve) => {
        told = resolve
      })
    return notes.shift() as [string, TracedStream]
  }
}

t.test('a stream is published when it begins and when it has ended, with the reason', async (t) => {
  const next = traced(t)
  const { app, subscribe } = await startEvents(t, (app) => void app.service('notes', memory()), {
    services: { notes: true }
  })
  const leaving = await subscribe(list('notes')).connected
  const [event, stream] = await next()
  t.same([event, stream], ['start', { lists: ['notes'] }])
  await serviceAt(app, 'notes').create({ text: 'a' })
  await leaving.count(1)
  leaving.socket.destroy()
  const [end, sameStream] = await next()
  t.equal(sameStream, stream, 'one object for both')
  t.same([end, sameStream], ['end', { lists: ['notes'], messages: 2, reason: 'left' }])

  await subscribe('/notes').connected
  await next()
  await app.close()
  t.same(await next(), ['end', { lists: ['notes'], messages: 1, reason: 'closing' }])
})

t.test('spans of `@fastify/otel` have the name of the door', async (t) => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const instrumentation = new FastifyOtelInstrumentation()
  instrumentation.setTracerProvider(provider)
  const register = async (app: Parameters<Parameters<typeof startEvents>[1]>[0]) => {
    await app.register(instrumentation.plugin())
    app.service('notes', memory())
  }
  const { app, subscribe } = await startEvents(t, register, { services: { notes: true } })
  await subscribe(list('notes')).connected
  await app.close()
  const names = exporter.getFinishedSpans().map(({ name }) => name)
  t.ok(names.includes('handler - events.stream'), names.join())
})
