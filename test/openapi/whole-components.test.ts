import t from 'tap'
import { Components } from '../../lib/openapi/components.js'
import { isKept } from '../support/kept.js'

const text = { type: 'string' }

t.test('components, and what refers to them', async (t) => {
  const made = () => {
    const parts = {
      schemas: { Own: text, Taken: text } as Record<string, unknown>,
      parameters: { Limit: { name: 'own' } } as Record<string, unknown>
    }
    return { parts, components: new Components(parts, (path) => ({ record: path })) }
  }
  // biome-ignore format: a table
  const given: readonly (readonly [name: string, schema: object])[] = [
    ...[['Post', text], ['Post', { $ref: '#' }], ['Post', { $ref: '#/components/schemas/Own' }], ['Taken', { type: 'integer' }], ['Post', { $ref: 'service:users,people' }], ['Post', { $ref: 7 }], ['Post', { items: { $ref: '#/components/schemas/Own', description: 'Beside' } }], ['Post', { items: { $ref: '#', title: 'Beside' } }]] as const,
    ...['#', '#/properties/a', '#/$defs/a', '#/definitions/b', '#/definitions/a', '#/$defs/blog-post/properties/x', '#/$defs/a%20b', '#/$defs/no', '#/$defs', 'http://a/own#', 'http://a/own#/properties/x', 'other', 'service:', '#/components/schemas/Own', 'root', 'root#', 'x#y', 'other#/$defs/a'].map((place) =>
      ['Post', { $id: 'root', $defs: { a: { properties: { me: { $ref: '#/$defs/a' }, up: { $ref: '#' } } }, 'blog-post': { properties: { x: text } }, 'a b': text }, definitions: { b: { type: 'integer' } }, properties: { a: { $ref: place }, b: { items: { $ref: place } } } }] as const
    ),
    ...[['Post', { properties: { a: { $id: 'http://a/inner', properties: { b: { $ref: 'http://a/inner' } } }, c: { $id: 'http://a/inner', properties: { b: { $ref: 'http://a/inner' } } } } }]] as const,
    ...[['Post', { $id: 'Post', properties: { a: { $ref: 'Post' }, b: { $ref: 'Post#' }, c: { $id: 7, type: 'string' } } }], ['Post', { properties: { $ref: text, $id: text } }]] as const
  ]
  const several = made()
  const { components } = several
  const node = { properties: { next: { $ref: '#/$defs/node' } } }
  const referred = [
    ...[
      components.add('A', text),
      components.add('A', { ...text }),
      components.add('A', { type: 'integer' }),
      components.add('A', { type: 'integer' }),
      components.add('A', { type: 'number' }),
      components.add('Own', text)
    ],
    ...[
      components.add('Tree', { $defs: { node }, items: { $ref: '#/$defs/node' } }),
      components.add('Tree', { $defs: { node }, anyOf: [{ $ref: '#/$defs/node' }, { $ref: '#' }] })
    ],
    ...[
      components.find('A', text),
      components.find('A', { type: 'integer' }) ?? 'none',
      components.find('A2', { type: 'integer' }),
      components.find('No', text) ?? 'none',
      components.find('Own', { a: 1 }) ?? 'none'
    ],
    ...[{ name: 'own' }, { name: 'a' }, { name: 'a' }, { name: 'b' }, { name: 'own' }].map((parameter) =>
      components.addParameter('Limit', parameter)
    ),
    ...[
      components.addParameter('Skip', { a: 1 }),
      components.copy({ items: { $ref: '#/properties/x' } }, 'Copied'),
      components.copy({ properties: { a: { $id: 'b', type: 'string' } } }, 'Copied')
    ]
  ]
  const kept = {
    one: given.map(([name, schema]) => {
      const { parts, components } = made()
      const returned = components.add(name, schema as never)
      const { Own, Taken, ...added } = parts.schemas
      return [name, { returned, ...added }]
    }),
    several: [referred, several.parts]
  }
  isKept(t, kept, 'test/openapi/whole-components.txt')
})
