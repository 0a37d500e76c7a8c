import { type ClientParams, createClient } from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { outcome, outcomes } from './outcome.js'

const pages: Record<string, [answers: unknown[], params?: ClientParams]> = {
  'a list': [[[1, 2]]],
  'an empty list': [[[]]],
  'one page': [[{ total: 2, data: [1, 2] }]],
  'three pages': [
    [
      { total: 5, data: [1, 2] },
      { total: 5, data: [3, 4] },
      { total: 5, data: [5] }
    ]
  ],
  'pages without a total': [[{ data: [1, 2] }, { data: [3] }, { data: [] }]],
  'a total that is unknown': [[{ total: -1, data: [1] }, { total: -1, data: [2] }, { data: [] }]],
  'a total of none': [[{ total: 0, data: [] }]],
  'a total of none with records': [[{ total: 0, data: [1] }]],
  'an empty page in between': [
    [
      { total: 5, data: [1] },
      { total: 5, data: [] },
      { total: 5, data: [2] }
    ]
  ],
  'a page, then a list': [[{ total: 5, data: [1] }, [2, 3]]],
  'an object that is no page': [[{ a: 1 }]],
  nothing: [[null]],
  'an error at the second page': [[{ total: 5, data: [1] }, new Error('no more')]],
  'a skip of its own': [
    [
      { total: 5, data: [1] },
      { total: 5, data: [2] }
    ],
    { query: { $skip: 3, a: 1 }, headers: { b: '2' } }
  ],
  'a skip that is text': [[{ total: 3, data: [1] }], { query: { $skip: '2' } }],
  'a skip of none': [
    [
      { total: 2, data: [1] },
      { total: 2, data: [2] }
    ],
    { query: { $skip: 0, a: 1 } }
  ],
  'a skip that is null': [[{ total: 1, data: [1] }], { query: { $skip: null } }],
  'params without a query': [
    [
      { total: 2, data: [1] },
      { total: 2, data: [2] }
    ],
    { headers: { b: '2' } }
  ]
}

t.test('iterate: which pages it asks for, and what it gives', async (t) => {
  const kept = await outcomes(pages, async ([answers, params]) => {
    const [seen, asked]: [unknown[], unknown[]] = [[], []]
    const find = async (params: unknown) => {
      asked.push(params)
      const answer = answers[asked.length - 1]
      if (answer instanceof Error) throw answer
      return answer
    }
    const service = createClient().use('pages', { find }).service('pages')
    const end = await outcome(async () => {
      for await (const one of service.iterate(params)) seen.push(one)
    })
    return end === null ? { seen, asked } : { seen, asked, end }
  })
  isKept(t, kept, 'test/client/whole-iterate.txt')
})
