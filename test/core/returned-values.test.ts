import type { HookContext } from 'fastify-services'
import t from 'tap'
import { createBreakable } from '../support/core-services.js'

t.test('a hook that returns no object leaves the context as it is', async (t) => {
  const withResult = Object.assign(() => {}, { result: 'of a function' })
  for (const value of [undefined, null, 0, '', 'text', true, Symbol('s'), withResult]) {
    const seen: string[][] = []
    const look = (context: HookContext) => void seen.push(Object.keys(context))
    const { get } = await createBreakable(t, { before: { get: [look, () => value as undefined, look] } })
    t.same(await get('1'), { id: '1' })
    t.same(seen[1], seen[0], typeof value)
  }
})
