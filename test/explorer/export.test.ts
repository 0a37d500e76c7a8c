import t from 'tap'
import { toCSV, toJSONText } from '../../lib/explorer/model/export.js'
import { isTokenName, toCell, toRecordLabel } from '../../lib/explorer/model/result.js'

const records = [
  { id: 1, text: 'a, "b"\nc', isOpen: true, tags: ['x'], nothing: null },
  { id: -2, text: '=1+1', other: 7 },
  { id: 3, text: '-1' }
]

t.test('records as CSV', async (t) => {
  t.equal(
    toCSV(['id', 'text', 'isOpen', 'tags', 'nothing'], records),
    'id,text,isOpen,tags,nothing\r\n1,"a, ""b""\nc",true,"[""x""]",\r\n-2,\'=1+1,,,\r\n3,\'-1,,,\r\n'
  )
  t.equal(toCSV(['@a'], []), "'@a\r\n")
})

t.test('records as JSON, with the columns that are shown', async (t) => {
  t.strictSame(JSON.parse(toJSONText(['id', 'nothing'], records)), [{ id: 1, nothing: null }, { id: -2 }, { id: 3 }])
})

t.test('numbers end where somebody has ended them', async (t) => {
  t.strictSame([0.1 + 0.2, 46.9, 1e-7, 1 / 3, 2 ** 53].map(toCell), [
    '0.3',
    '46.9',
    '1e-7',
    '0.333333333333',
    '9007199254740992'
  ])
})

t.test('what is called a token, and what a record is called', async (t) => {
  const names = ['accessToken', 'refresh_token', 'ID_TOKEN', 'token', 'accessTokens', 'myAccessToken']
  t.strictSame(names.map(isTokenName), [true, true, true, false, false, false])
  const labels = [{ id: 1, title: 'A', email: 'b' }, { name: '', email: 'b' }, { name: 7 }, {}].map(toRecordLabel)
  t.strictSame(labels, ['A', 'b', '', ''])
})
