import '../support/auth-scrypt.js'
import t from 'tap'
import { readAll } from '../explorer/documents.js'
import { isKept } from '../support/kept.js'
import { documentOf } from './app.js'
import { documents } from './documented.js'

t.test('documents of services of all kinds, and what the explorer makes of them', async (t) => {
  const kept: Record<string, unknown> = {}
  const explored: Record<string, unknown> = {}
  for (const [name, [build, given]] of Object.entries(documents)) {
    const document = await documentOf(t, build, given)
    kept[name] = document
    explored[name] = readAll(document)
  }
  isKept(t, kept, 'test/openapi/whole-services.txt')
  isKept(t, explored, 'test/openapi/whole-services-explorer.txt')
})
