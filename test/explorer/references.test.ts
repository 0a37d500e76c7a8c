import t from 'tap'
import { toFilterFields } from '../../lib/explorer/model/filter-fields.js'
import { toConditions } from '../../lib/explorer/model/query.js'
import { joinFilters, matching, splitFilters, toMoreText, toSearch } from '../../lib/explorer/model/references.js'
import { createFollow, toField } from '../../lib/explorer/model/schema.js'

const follow = createFollow({})
const operationOf = (names: readonly string[], record: readonly string[] = []) => ({
  query: toFilterFields(
    names.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
    follow
  ),
  record: record.map((name) => toField(name, {}, follow))
})
const searchOf = (...names: string[]) => toSearch(operationOf(names), 'Ada')

t.test('a service is searched by its first text field with an operator for patterns', async (t) => {
  const [operator, text] = ['search', 'Ada']
  t.strictSame(searchOf('title', 'name', 'name[$like]', 'email[$ilike]'), { field: 'name', operator, text })
  t.strictSame(searchOf('email[$like]', 'email[$ilike]'), { field: 'email', operator, text })
  t.equal(searchOf('name', 'name[$in]', 'age[$like]'), undefined)
})

t.test('a parameter that searches is better than a field, unless records have a field of its name', async (t) => {
  t.strictSame(searchOf('name[$like]', 'q'), { field: 'q', operator: 'search', text: 'Ada' })
  t.strictSame(searchOf('$search', '$limit'), { field: '$search', operator: 'search', text: 'Ada' })
  t.equal(toSearch(operationOf(['q'], ['q']), 'Ada'), undefined)
})

t.test('a search stands for any character, also those of patterns', async (t) => {
  const { query } = toConditions([{ field: 'name', operator: 'part', text: '50%_\\' }], {
    ...operationOf(['name[$like]']),
    canJoin: false
  })
  t.strictSame(query, { name: { $like: '%50\\%\\_\\\\%' } })
})

t.test('the search of a list has no row among its conditions', async (t) => {
  const operation = operationOf(['age', 'note[$ilike]'])
  const [age, note] = [
    { field: 'age', operator: '', text: '7' },
    { field: 'note', operator: 'search', text: 'a' }
  ]
  t.strictSame(splitFilters(operation, [age]), { search: { ...note, text: '' }, others: [age] })
  const row = { ...note, operator: 'part' }
  t.strictSame(splitFilters(operation, [row]).others, [row], 'a condition stays one')
  t.strictSame(splitFilters(operation, [note, age]), { search: note, others: [age] })
  t.strictSame(joinFilters({ search: note, others: [age] }), [age, note])
  t.strictSame(joinFilters({ search: { ...note, text: '' }, others: [age] }), [age])
  t.strictSame(splitFilters(operationOf(['age']), [age]), { search: undefined, others: [age] })
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
