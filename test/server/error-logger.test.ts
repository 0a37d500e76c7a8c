import { type ErrorHandlerOptions, NotFound } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp, getJSON } from '../support/response-app.js'

interface Line {
  level: number
  msg: string
  reqId?: string
  err?: { message: string; stack: string; type: string }
}

const errors: Record<string, () => unknown> = {
  broken: () => new Error('broken'),
  missing: () => new NotFound('missing'),
  text: () => 'text',
  gateway: () => Object.assign(new Error('gateway'), { statusCode: 502 })
}

/** The lines that the application logs for a request, beside those of Fastify for each request. */
async function linesOf(t: Test, id: string, errorHandler: ErrorHandlerOptions = {}): Promise<Line[]> {
  const lines: Line[] = []
  const stream = {
    write: (line: string) => {
      lines.push(JSON.parse(line))
    }
  }
  const get = async () => {
    throw errors[id]?.()
  }
  const app = await createApp(t, {
    service: { get },
    plugin: { errorHandler },
    server: { logger: { level: 'debug', stream } }
  })
  await getJSON(app, '/things/1')
  return lines.filter(({ msg }) => !/^(incoming request|request completed)$/.test(msg))
}

t.test('Logged through `request.log` by default: `error` for 5xx', async (t) => {
  for (const id of ['broken', 'gateway', 'text']) {
    const [line, ...more] = await linesOf(t, id)
    t.match(line, { level: 50, msg: id, reqId: String, err: { message: id } })
    t.strictSame(more, [], 'once')
  }
})

t.test('Logged through `request.log` by default: the stack is there', async (t) => {
  t.match((await linesOf(t, 'broken'))[0]?.err?.stack, 'error-logger.test')
})

t.test('Logged through `request.log` by default: `info` below 5xx', async (t) => {
  const [line, ...more] = await linesOf(t, 'missing')
  t.match(line, { level: 30, msg: 'missing', reqId: String })
  t.strictSame(more, [])
})

t.test('a given `logger` gets `logger.error(error)`, and `request.log` nothing', async (t) => {
  const seen: unknown[][] = []
  const logger = {
    own: true,
    error(this: { own: boolean }, ...args: unknown[]) {
      seen.push([this.own, ...args])
    }
  }
  t.strictSame(await linesOf(t, 'broken', { logger }), [])
  t.strictSame(await linesOf(t, 'missing', { logger }), [])
  t.match(seen, [
    [true, { message: 'broken' }],
    [true, { message: 'missing', code: 404 }]
  ])
  t.ok(seen.every((args) => args.length === 2 && args[1] instanceof Error))
})

t.test('`logger: false` disables logging', async (t) => {
  t.strictSame(await linesOf(t, 'broken', { logger: false }), [])
})

t.test('a `logger` that throws changes nothing for the caller', async (t) => {
  const logger = {
    error() {
      throw new Error('disk full')
    }
  }
  const app = await createApp(t, {
    service: {
      get: async () => {
        throw new NotFound('missing')
      }
    },
    plugin: { errorHandler: { logger } }
  })
  const response = await getJSON(app, '/things/1')
  t.equal(response.statusCode, 404)
  t.match(response.json(), { name: 'NotFound', message: 'missing' })
})
