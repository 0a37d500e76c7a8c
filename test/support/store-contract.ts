import type { Test } from 'tap'
import type { Store } from '../../index.js'

/** What every store of tokens and answers must do. */
export async function storeContract(t: Test, store: Required<Store>): Promise<void> {
  await t.test('a value is there until it is set anew, deleted, or its time is over', async (t) => {
    t.notOk(await store.get('a'))
    await store.set('a', 'first', 100)
    await store.set('a', 'second', 100)
    t.equal(await store.get('a'), 'second')
    await store.delete('a')
    t.notOk(await store.get('a'))
    await store.delete('a')
    await store.set('short', 'x', 0.05)
    await new Promise((resolve) => setTimeout(resolve, 100))
    t.notOk(await store.get('short'))
  })

  await t.test('of many who add a key at once, one does', async (t) => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => store.add('b', String(number), 100)))
    t.equal(answers.filter((isFirst) => isFirst).length, 1)
    t.equal(await store.get('b'), String(answers.indexOf(true)))
    await store.delete('b')
    t.equal(await store.add('b', 'again', 0.05), true)
    await new Promise((resolve) => setTimeout(resolve, 100))
    t.equal(await store.add('b', 'later', 100), true)
  })

  await t.test('keys and values are any texts', async (t) => {
    const texts = ['__proto__', 'a b', 'ä€😀', '*', "'; DROP TABLE", '\\', 'x'.repeat(10_000)]
    for (const text of texts) await store.set(text, `=${text}`, 100)
    for (const text of texts) t.equal(await store.get(text), `=${text}`)
    await store.set('empty', '', 100)
    t.equal(await store.get('empty'), '')
  })
}
