import { onEachAtlas } from './atlas-calls.js'

type Found = Record<string, unknown>

onEachAtlas('the atlas', async (t, { call }) => {
  const names = async (query: string) => {
    const { status, body } = await call('GET', `/countries?${query}&$select[]=name`)
    return status === 200 ? body.data.map(({ name }: Found) => name) : body.message
  }

  t.test('the five largest landlocked countries of Africa are a page', async (t) => {
    const url = '/countries?region=Africa&landlocked=true&$sort[area]=-1&$limit=5&$select[]=name&$select[]=area'
    const { status, body } = await call('GET', url)
    t.equal(status, 200)
    t.strictSame(body, {
      total: 16,
      limit: 5,
      skip: 0,
      data: [
        { name: 'Chad', area: 1284000, cca3: 'TCD' },
        { name: 'Niger', area: 1267000, cca3: 'NER' },
        { name: 'Mali', area: 1240192, cca3: 'MLI' },
        { name: 'Ethiopia', area: 1104300, cca3: 'ETH' },
        { name: 'Zambia', area: 752612, cca3: 'ZMB' }
      ]
    })
  })

  t.test('one country has the values of the data set, with their types', async (t) => {
    const { status, body } = await call('GET', '/countries/CHE')
    t.equal(status, 200)
    t.strictSame(body, {
      cca3: 'CHE',
      cca2: 'CH',
      name: 'Switzerland',
      official: 'Swiss Confederation',
      capital: 'Bern',
      region: 'Europe',
      subregion: 'Western Europe',
      area: 41284,
      landlocked: true,
      unMember: true,
      borders: ['AUT', 'FRA', 'ITA', 'LIE', 'DEU'],
      latlng: [47, 8],
      languages: { fra: 'French', gsw: 'Swiss German', ita: 'Italian', roh: 'Romansh' },
      currencies: { CHF: { name: 'Swiss franc', symbol: 'Fr.' } }
    })
  })

  t.test('there are 250 countries, ten on a page unless asked, by name', async (t) => {
    const { body } = await call('GET', '/countries')
    t.match(body, { total: 250, limit: 10, skip: 0 })
    t.equal(body.data.length, 10)
    const all = await call('GET', '/countries?$limit=1000&$sort[cca3]=1')
    t.equal(all.body.limit, 250)
    t.equal(new Set(all.body.data.map(({ cca3 }: Found) => cca3)).size, 250)
    t.strictSame(await names('$limit=2&$skip=1&region=Oceania'), ['Australia', 'Christmas Island'])
  })

  t.test('the strings of the URL become numbers, booleans and lists', async (t) => {
    t.strictSame(await names('area[$gt]=9500000&$sort[area]=-1'), ['Russia', 'Antarctica', 'Canada', 'China'])
    t.strictSame(await names('area[$ge]=17098242'), ['Russia'])
    t.strictSame(await names('area[$lt]=1&area[$gte]=0'), ['Vatican City'])
    t.strictSame(await names('cca3[$in][]=AUT&cca3[$in][]=CHE&landlocked=true'), ['Austria', 'Switzerland'])
    t.strictSame(await names('$or[0][cca2]=AT&$or[1][name][$eq]=Switzerland'), ['Austria', 'Switzerland'])
    t.strictSame(await names('name[$ilike]=%25TZERLAND'), ['Switzerland'])
    t.strictSame(await names('landlocked=false&region=Europe&subregion=Central Europe'), ['Poland', 'Slovenia'])
    const many = Array.from({ length: 40 }, (_, index) => `cca3[$in][]=${index === 39 ? 'CHE' : `X${index}`}`)
    t.strictSame(await names(many.join('&')), ['Switzerland'])
  })

  t.test('what no column is called or can hold is refused, not dropped', async (t) => {
    for (const query of ['foo=1', 'area=large', 'area[$gt]=x', 'landlocked=perhaps', '$sort[foo]=1', '$sort[area]=2']) {
      t.match(await call('GET', `/countries?${query}`), { status: 400, body: { name: 'BadRequest' } }, query)
    }
    for (const query of [
      '$select[]=foo',
      '$limit=x',
      '$limit=-1',
      'area[$foo]=1',
      '$where=1',
      'name=%00',
      'area[]=1&area[]=2'
    ]) {
      t.match(await call('GET', `/countries?${query}`), { status: 400, body: { name: 'BadRequest' } }, query)
    }
  })

  t.test('unknown ids are 404, and no answer tells of SQL', async (t) => {
    t.match(await call('GET', '/countries/XXX'), { status: 404, body: { message: "No record found for id 'XXX'" } })
    t.match(await call('GET', '/countries/che'), { status: 404 })
    const { status, body } = await call('GET', '/countries/%00')
    t.equal(status, 404)
    t.notMatch(body.message, /select|countries/i)
    t.match(await call('GET', '/nowhere'), { status: 404, body: { message: 'Page not found' } })
  })

  t.test('countries can be read only', async (t) => {
    t.match(await call('POST', '/countries', { cca3: 'XXX' }), { status: 405 })
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const)
      t.match(await call(method, '/countries/CHE', {}), { status: 405 })
  })

  t.test('the index names the services and the licence of the data', async (t) => {
    t.match((await call('GET', '/')).body, {
      countries: '/countries',
      notes: '/countries/:code/notes',
      users: '/users',
      authentication: '/authentication',
      licence: /Open Database License/
    })
  })
})

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
      // A note may have no author, which an empty text asks for.
      if (number !== '-1' && number !== '') await refuse(`${notes}?author[$in][]=1&author[$in][]=${number}`)
    }
    for (const number of ['NaN', 'x', '', '1,5', '0x', '1e400']) await refuse(`/countries?area[$gt]=${number}`)
  })

  t.test('numbers that it takes', async (t) => {
    for (const query of ['$skip=2147483647', '$limit=2147483647', 'area[$lt]=1e300', 'area=-0'])
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
