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
