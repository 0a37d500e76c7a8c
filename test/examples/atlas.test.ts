import type { InjectOptions } from 'fastify'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { onEachDatabase } from './atlas-support.js'

type Found = Record<string, unknown>

onEachDatabase('the atlas', async (t, options) => {
  const app = await createApp(await openDatabase(options))
  t.teardown(() => app.close())
  const call = async (method: NonNullable<InjectOptions['method']>, url: string, payload?: object) => {
    const response = await app.inject({ method, url, ...(payload !== undefined && { payload }) })
    return { status: response.statusCode, body: response.json() }
  }
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
    const { body } = await call('GET', '/')
    t.match(body, { countries: '/countries', notes: '/countries/:code/notes', licence: /Open Database License/ })
  })

  t.test('a note is created, read, replaced, changed and removed', async (t) => {
    const { status, body: note } = await call('POST', '/countries/CHE/notes', { text: 'Four languages' })
    t.equal(status, 201)
    t.match(note, { id: Number, code: 'CHE', text: 'Four languages', pinned: false, changedAt: /^\d{4}-.+Z$/ })
    const url = `/countries/CHE/notes/${note.id}`
    t.strictSame(await call('GET', url), { status: 200, body: note })
    t.match(await call('PATCH', url, { pinned: true }), { status: 200, body: { text: 'Four languages', pinned: true } })
    t.match(await call('PUT', url, { text: 'Alps' }), {
      status: 200,
      body: { code: 'CHE', text: 'Alps', pinned: false }
    })
    t.match(await call('DELETE', url), { status: 200, body: { id: note.id, text: 'Alps' } })
    t.match(await call('GET', url), { status: 404 })
  })

  t.test('a list of notes is created, and none of a list that holds a bad one', async (t) => {
    const notes = '/countries/AUT/notes'
    const { status, body } = await call('POST', notes, [{ text: 'one' }, { text: 'two', pinned: true }])
    t.equal(status, 201)
    t.match(body, [
      { code: 'AUT', text: 'one', pinned: false },
      { code: 'AUT', text: 'two', pinned: true }
    ])
    t.match(await call('POST', notes, [{ text: 'three' }, { text: '' }]), { status: 400 })
    t.equal((await call('GET', notes)).body.total, 2)
  })

  t.test('a patch without an id changes the notes that the query selects, of this country', async (t) => {
    await call('POST', '/countries/LIE/notes', { text: 'elsewhere' })
    await call('POST', '/countries/DEU/notes', [{ text: 'a' }, { text: 'b' }, { text: 'c', pinned: true }])
    const { status, body } = await call(
      'PATCH',
      '/countries/DEU/notes?pinned=false&$or[0][text]=a&$or[1][text]=elsewhere',
      {
        text: 'changed'
      }
    )
    t.equal(status, 200)
    t.match(body, [{ code: 'DEU', text: 'changed' }])
    t.equal(body.length, 1)
    t.equal((await call('PATCH', '/countries/DEU/notes', { pinned: true })).body.length, 3)
    t.match((await call('GET', '/countries/LIE/notes')).body, {
      total: 1,
      data: [{ text: 'elsewhere', pinned: false }]
    })
    t.match(await call('PATCH', '/countries/DEU/notes?pined=true', { pinned: false }), { status: 400 })
    t.match(await call('DELETE', '/countries/DEU/notes'), { status: 405 })
  })

  t.test('notes are those of the country in the path', async (t) => {
    const { body } = await call('POST', '/countries/FRA/notes', { text: 'mine' })
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
      const data = ['PUT', 'PATCH'].includes(method) ? { text: 'yours' } : undefined
      t.match(await call(method, `/countries/ITA/notes/${body.id}`, data), { status: 404 }, method)
    }
    t.match((await call('GET', '/countries/ITA/notes')).body, { total: 0, data: [] })
    t.match(await call('POST', '/countries/FRA/notes', { text: 'x', code: 'ITA' }), { status: 400 })
    t.match(await call('PATCH', `/countries/FRA/notes/${body.id}`, { code: 'ITA' }), { status: 400 })
    t.match(await call('GET', '/countries/FRA/notes?code=ITA'), { status: 400 })
  })

  t.test('notes of no country, and notes that are none, are 404', async (t) => {
    const missing = { status: 404, body: { message: "No record found for id 'XXX'" } }
    t.match(await call('GET', '/countries/XXX/notes'), missing)
    t.match(await call('POST', '/countries/XXX/notes', { text: 'x' }), missing)
    t.match(await call('POST', '/countries/XXX/notes', [{ text: 'x' }]), missing)
    t.match(await call('PATCH', '/countries/XXX/notes', { text: 'x' }), missing)
    for (const id of ['999999999', '99999999999999', 'abc', '1.5', '-1', '%00']) {
      t.match(
        await call('GET', `/countries/CHE/notes/${id}`),
        { status: 404, body: { message: /^No record found/ } },
        id
      )
    }
  })

  t.test('calls at the same time do not wait for each other for ever', async (t) => {
    const notes = '/countries/NOR/notes'
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => call('POST', notes, [{ text: 'a' }, { text: 'b' }]))
    )
    t.ok(answers.every(({ status }) => status === 201))
    t.equal((await call('GET', notes)).body.total, 60)
  })
})
