import t from 'tap'
import { toFilterFields } from '../../lib/explorer/model/filter-fields.js'
import { matching, toMoreText, toSearch } from '../../lib/explorer/model/references.js'
import { createFollow } from '../../lib/explorer/model/schema.js'
import type { Operation } from '../../lib/explorer/model/services.js'

const searchOf = (...names: string[]) => {
  const parameters = names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }))
  return toSearch({ query: toFilterFields(parameters, createFollow({})) } as unknown as Operation, 'Ada')
}

t.test('a service is searched by its first text field with an operator for patterns', async (t) => {
  t.strictSame(searchOf('title', 'name', 'name[$like]', 'email[$ilike]'), {
    field: 'name',
    operator: '$like',
    text: '%Ada%'
  })
  t.strictSame(searchOf('email[$like]', 'email[$ilike]'), { field: 'email', operator: '$ilike', text: '%Ada%' })
  t.equal(searchOf('name', 'name[$in]', 'age[$like]'), undefined)
})

t.test('records fit by a part of their label, or by their id', async (t) => {
  const records = [{ id: 1, name: 'Ada' }, { id: 2, name: 'Grace 1' }, { id: 11, name: 'Alan' }, { name: 'Nobody 1' }]
  t.strictSame(
    matching(records, 'id', '1').map(({ id }) => id),
    ['1', '2']
  )
  t.strictSame(matching(records, 'id', 'ADA'), [{ id: '1', label: 'Ada' }])
})

t.test('says whether there are more', async (t) => {
  const choices = [{ id: '1', label: 'Ada' }]
  t.equal(toMoreText({ choices, more: 0 }), '')
  t.match(toMoreText({ choices, more: 1300 }), /^And 1.?300 more/)
  t.equal(toMoreText({ choices, more: undefined }), 'And more: type to search.')
  t.equal(toMoreText({ choices: [], more: 0 }), 'Nothing found.')
})
