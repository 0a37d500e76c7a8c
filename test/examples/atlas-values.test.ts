import { onEachAtlas } from './atlas-calls.js'

const tooLarge = ['1e20', '1e400', '99999999999999999999', '2147483648']
const notWhole = ['1e3', '1.5', 'NaN', 'Infinity', '-1', 'x', '', '1e-3', '0x1g']

onEachAtlas('values that the database does not take', async (t, { call, signUp }) => {
  const { token } = await signUp('ada')
  const { body: note } = await call('POST', '/countries/CHE/notes', { text: 'a%b_c\\d' }, token)
  const notes = '/countries/CHE/notes'
  const refused = { status: 400, body: { name: 'BadRequest' } }
  const refuse = async (url: string) => {
    const { status, body, text } = await call('GET', url)
    t.match({ status, body }, refused, url)
    t.notMatch(text, /select |where |offset|"countries"|"notes"/i)
  }

  t.test('numbers in a query', async () => {
    for (const number of [...tooLarge, ...notWhole]) {
      for (const url of [
        `/countries?$skip=${number}`,
        `${notes}?$limit=${number}`,
        `/countries?$limit=1&$skip=${number}`
      ])
        await refuse(url)
      if (number !== '-1') await refuse(`${notes}?id=${number}`)
      if (number !== '-1') await refuse(`${notes}?author[$in][]=1&author[$in][]=${number}`)
    }
    for (const number of ['NaN', 'x', '', '1,5', '0x']) await refuse(`/countries?area[$gt]=${number}`)
  })

  t.test('numbers that it takes', async (t) => {
    for (const query of ['$skip=2147483647', '$limit=2147483647', 'area[$lt]=1e300', 'area[$lt]=1e400', 'area=-0'])
      t.match(await call('GET', `/countries?${query}`), { status: 200 }, query)
  })

  t.test('patterns', async (t) => {
    const like = (pattern: string) => call('GET', `${notes}?text[$like]=${encodeURIComponent(pattern)}`)
    for (const pattern of ['\\', '%\\', 'a\\\\\\'])
      for (const operator of ['$like', '$ilike'])
        await refuse(`${notes}?text[${operator}]=${encodeURIComponent(pattern)}`)
    for (const pattern of ['a\\%b\\_c\\\\d', '%', 'a%', '_\\%%']) t.equal((await like(pattern)).body.total, 1, pattern)
    for (const pattern of ['\\a', '[a-z]*', '(', "'", '%%%%_%%', '--']) t.match(await like(pattern), { status: 200 })
  })

  t.test('text', async (t) => {
    for (const value of ['%00', 'a%00b', 'x%00%00']) {
      await refuse(`/countries?name=${value}`)
      await refuse(`/countries?name[$in][]=${value}`)
      await refuse(`/countries?$or[0][name]=${value}`)
      await refuse(`${notes}?text[$like]=${value}`)
    }
    t.match(await call('POST', notes, { text: 'a\0b' }, token), refused)
    t.match(await call('PATCH', `${notes}/${note.id}`, { text: '\0' }, token), refused)
    // What is no text in UTF-8 is stored as the sign for it.
    for (const [text, stored] of [
      ['\ud800', '\ufffd'],
      ['a\udfffb', 'a\ufffdb']
    ]) {
      const { status, body } = await call('POST', notes, { text }, token)
      t.strictSame([status, body.text], [201, stored])
    }
    for (const text of ['%ED%A0%80', '%FF', '%C3'])
      t.match(await call('GET', `/countries?name=${text}`), { status: 200 })
  })

  t.test('ids', async (t) => {
    const ids = [
      '99999999999',
      '2147483648',
      '999999999999999999999999',
      '1e3',
      '%201',
      '1%20',
      '0x1',
      '-1',
      '1.0',
      '+1'
    ]
    for (const id of [...ids, '%00', '１', 'null', "1' or '1'='1", '__proto__'].map((id) =>
      id.replaceAll("'", '%27')
    )) {
      const missing = { status: 404, body: { name: 'NotFound', message: /^No record found for id / } }
      for (const method of ['GET', 'DELETE'])
        t.match(
          await call(method, `${notes}/${encodeURI(decodeURI(id))}`, undefined, token),
          missing,
          `${method} ${id}`
        )
      for (const method of ['PUT', 'PATCH'])
        t.match(await call(method, `${notes}/${encodeURI(decodeURI(id))}`, { text: 'x' }, token), missing)
      t.match(await call('GET', `/countries/${encodeURI(decodeURI(id))}`), missing)
      t.match(await call('GET', `/countries/${encodeURI(decodeURI(id))}/notes`), missing)
    }
  })
})
