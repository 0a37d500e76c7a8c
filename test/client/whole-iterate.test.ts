import { BadRequest, type ClientParams, createClient, iterate, NotFound } from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { outcome, outcomes } from './outcome.js'

const pages: Record<string, [answers: unknown[], params?: ClientParams, options?: { id?: string }]> = {
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
  'records with an id: behind the last one': [
    [
      { total: 5, data: [{ id: 1 }, { id: 2 }] },
      { total: 3, data: [{ id: 3 }, { id: 5 }] },
      { total: 1, data: [{ id: 6 }] }
    ],
    { query: { a: 1 }, headers: { b: '2' } }
  ],
  'conditions of the id': [
    [
      { total: 2, data: [{ id: 9 }] },
      { total: 1, data: [{ id: 8 }] }
    ],
    { query: { $sort: { id: '-1' }, $skip: 4, id: { $lt: 10, $nin: [7] } } }
  ],
  'one id': [
    [
      {
        total: 2,
        data: [
          { id: 9, n: 1 },
          { id: 9, n: 2 }
        ]
      },
      { total: 2, data: [{ id: 9, n: 2 }] }
    ],
    { query: { id: 9 } }
  ],
  'an end without a total, behind an id': [[{ data: [{ id: 1 }] }, { data: [{ id: 2 }] }, { data: [] }]],
  'a service that has no such condition': [
    [
      { total: 3, data: [{ id: 1 }, { id: 2 }] },
      { total: 3, data: [{ id: 1 }, { id: 2 }] },
      { total: 3, data: [{ id: 2 }, { id: 3 }] }
    ]
  ],
  'a service that refuses it': [
    [
      { total: 3, data: [{ id: 1 }, { id: 2 }] },
      new BadRequest('no conditions'),
      { total: 3, data: [{ id: 2 }, { id: 3 }] }
    ]
  ],
  'a refusal later': [[{ total: 3, data: [{ id: 1 }] }, { total: 2, data: [{ id: 2 }] }, new BadRequest('no more')]],
  'a service that compares texts': [
    [{ data: [{ id: 1 }, { id: 2 }] }, { data: [] }, { data: [{ id: 2 }, { id: 3 }] }, { data: [{ id: 3 }] }]
  ],
  'an order that is refused': [
    [
      new BadRequest('no order'),
      new BadRequest('no order'),
      { total: 2, data: [{ id: 1 }] },
      { total: 2, data: [{ id: 2 }] }
    ]
  ],
  'an error that is no refusal': [[new NotFound('no service')]],
  'an order that is no object': [[{ total: 1, data: [{ id: 1 }] }], { query: { $sort: 'id' } }],
  'records of MongoDB': [
    [
      { total: 2, data: [{ _id: 'a' }] },
      { total: 2, data: [{ _id: 'a' }] },
      { total: 1, data: [{ _id: 'b' }] }
    ]
  ],
  'an id of another name': [
    [
      { total: 2, data: [{ code: 'a' }] },
      { total: 1, data: [{ code: 'b' }] }
    ],
    {},
    { id: 'code' }
  ],
  'an order and a selection': [
    [
      {
        total: 4,
        data: [
          { id: 1, at: { day: 5 } },
          { id: 2, at: { day: 5 } }
        ]
      },
      {
        total: 4,
        data: [
          { id: 2, at: { day: 5 } },
          { id: 3, at: { day: 4 } }
        ]
      },
      {
        total: 4,
        data: [
          { id: 3, at: { day: 4 } },
          { id: 4, at: { day: 4 } }
        ]
      }
    ],
    { query: { $sort: { 'at.day': -1 }, $select: ['at.day', 'name'] } }
  ],
  'records that have gone': [
    [
      {
        total: 6,
        data: [
          { id: 1, n: 1 },
          { id: 2, n: 1 }
        ]
      },
      {
        total: 4,
        data: [
          { id: 4, n: 1 },
          { id: 5, n: 1 }
        ]
      },
      {
        total: 4,
        data: [
          { id: 3, n: 1 },
          { id: 4, n: 1 }
        ]
      },
      {
        total: 4,
        data: [
          { id: 4, n: 1 },
          { id: 5, n: 1 }
        ]
      },
      {
        total: 4,
        data: [
          { id: 5, n: 1 },
          { id: 6, n: 1 }
        ]
      }
    ],
    { query: { $sort: { n: 1 } } }
  ],
  'pages that hooks have emptied': [
    [
      {
        data: [
          { id: 1, n: 1 },
          { id: 2, n: 1 }
        ]
      },
      { data: [] },
      {
        data: [
          { id: 1, n: 1 },
          { id: 2, n: 1 }
        ]
      },
      { data: [] }
    ],
    { query: { $sort: { n: 1 } } }
  ],
  'pages of one': [
    [
      { total: 3, data: [{ id: 1, n: 1 }] },
      { total: 3, data: [{ id: 1, n: 1 }] },
      { total: 3, data: [{ id: 2, n: 1 }] },
      { total: 3, data: [{ id: 3, n: 1 }] }
    ],
    { query: { $sort: { n: 1 }, $limit: 1 } }
  ],
  'some records without an id, and ids that are objects': [
    [
      { total: 5, data: [{ id: { a: 1 }, n: 1 }, { n: 1 }] },
      { total: 5, data: [{ n: 1 }, { id: { a: 1 }, n: 1 }, { id: 2, n: 1 }] },
      { total: 5, data: [{ id: 2, n: 1 }, { n: 3 }] },
      { total: 5, data: [{ n: 3 }] }
    ],
    { query: { $sort: { n: 1 } } }
  ],
  'params without a query': [
    [
      { total: 2, data: [1] },
      { total: 2, data: [2] }
    ],
    { headers: { b: '2' } }
  ]
}

t.test('iterate: which pages it asks for, and what it gives', async (t) => {
  const table = await outcomes(pages, async ([answers, params, options]) => {
    const [seen, asked]: [unknown[], unknown[]] = [[], []]
    const find = async (params: unknown) => {
      asked.push(params)
      const answer = answers[asked.length - 1]
      if (answer instanceof Error) throw answer
      return answer
    }
    const service = createClient().use('pages', { find }).service('pages')
    const end = await outcome(async () => {
      for await (const item of iterate(service, params, options)) seen.push(item)
    })
    return end === null ? { seen, asked } : { seen, asked, end }
  })
  isKept(t, table, 'test/client/whole-iterate.txt')
})
