import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { requests } from '../support/auth-interop-requests.js'
import { servers } from '../support/auth-interop-servers.js'
import { send, type WireResponse } from '../support/interop-requests.js'

t.test('x', async (t) => {
  const bases: Record<string, string> = {}
  for (const [name, serve] of Object.entries(servers)) bases[name] = await serve(t)
  for (const [name, request] of Object.entries(requests)) {
    const [ours, theirs] = (await Promise.all(Object.values(bases).map((base) => send(base, request)))) as [
      WireResponse,
      WireResponse
    ]
    if (ours.status === 401) delete (ours.headers as any)['www-authenticate']
    if (isDeepStrictEqual(mask(ours), mask(theirs))) console.error('## SAME', name)
    else {
      console.error('## DIFF', name)
      console.error('##   O', JSON.stringify(mask(ours)))
      console.error('##   T', JSON.stringify(mask(theirs)))
    }
  }
})
function mask(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replace(/[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, 'TOKEN')
      .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f-]+/g, 'UUID')
      .replace(/\b1[78]\d{8}\b/g, '1')
  )
}
