import t from 'tap'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

const external = { provider: 'rest' }

async function collect(iterable: unknown) {
  const found: unknown[] = []
  for await (const one of iterable as AsyncIterable<unknown>) found.push(one)
  return found
}

async function* generate(onEnd: () => void, ...records: unknown[]) {
  try {
    yield* records
  } finally {
    onEnd()
  }
}

t.test('protect: the records of an async generator are without the field', async (t) => {
  const answer = () => generate(() => {}, record(1), { user: record(2) }, 'text')
  const { things } = await createProtected(t, { answer })
  t.strictSame(await collect(await things.get(1, external)), [open(1), { user: open(2) }, 'text'])
  t.strictSame(await collect(await things.get(1)), [record(1), { user: record(2) }, 'text'], 'the server gets all')
})

t.test('protect: an async generator is closed when it is left, and when a record can not be read', async (t) => {
  let ends = 0
  const broken = {
    get name() {
      throw new Error('s3cret')
    }
  }
  const { things } = await createProtected(t, { answer: () => generate(() => ends++, record(1), broken, record(2)) })
  for await (const one of (await things.get(1, external)) as AsyncIterable<unknown>) {
    t.strictSame(one, open(1))
    break
  }
  t.equal(ends, 1)
  await t.rejects(collect(await things.get(1, external)), { name: 'GeneralError', message: /serialized/ })
  t.equal(ends, 2)
})

t.test('protect: one that was not begun is closed too, and one that can not be closed is let go', async (t) => {
  let ends = 0
  const next = async () => ({ done: false, value: record() })
  const cursor = { next, return: async () => ({ done: true, value: ends++ }) }
  const iterators: object[] = [cursor, { next }]
  const { things } = await createProtected(t, {
    answer: () => ({ [Symbol.asyncIterator]: () => iterators.shift() })
  })
  for (const expected of [1, 1]) {
    const iterator = ((await things.get(1, external)) as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    t.strictSame(await iterator.return?.(), { done: true, value: undefined })
    t.equal(ends, expected)
  }
})
