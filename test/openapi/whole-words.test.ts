import { STATUS_CODES } from 'node:http'
import t from 'tap'
import { toComponentName } from '../../lib/openapi/components.js'
import {
  isPlaceholder,
  nameServices,
  pathParametersIn,
  segmentsOf,
  toPascal,
  wordsOf
} from '../../lib/openapi/names.js'
import { errorOf, errorSchema } from '../../lib/openapi/service.js'
import { isKept } from '../support/kept.js'

const texts = [
  '',
  'blog-posts',
  'blogPosts',
  'BLOGPosts',
  'blog2Posts',
  '2fa',
  'a1B2',
  ' a  b ',
  'é-ñandú',
  'a_b.c/d',
  '--',
  'ABC',
  'aB',
  '٣x',
  'a-1'
]
// biome-ignore format: a table
const paths = [
  ...[[], [''], ['/'], ['posts'], ['posts', 'blog-posts', ''], ['a/v1/posts', 'b/v1/posts', 'v2/posts'], ['v1/posts', 'v2/posts'], ['posts', 'v1/posts']],
  ...[['a/b/posts', 'c/d/posts'], ['a/:b', 'a', ':c/a'], ['2fa', '2nd/2fa'], [':id', ':a/:b', ''], ['news', 'a/new'], ['posts', 'post', 'a/posts', 'a/b/posts'], ['x/a/b/c', 'y/a/b/c', 'z/b/c']],
  ...[['users/:userId/posts', 'posts'], ['users/posts-:id', 'posts'], ['a//b/', 'b'], ['a/b', 'A/b', 'a-b'], ['people', 'person', 'v1/people', 'v1/person', 'v2/person']]
]
const ids = [
  'http://my.app/post#',
  'post',
  '#/definitions/a b',
  'http://my.app/#post',
  'urn:a:b',
  'a.b-c_1',
  '',
  '#',
  'a#b#',
  'a/b/',
  'é ü',
  'post##',
  '/'
]
const urls = ['', '/', '/posts', '/{a}/b/{c}', '/{a}{b}', '/{}', '/{{a}}', '/:a', '/a:b/c', '//a//', '/{a b}/{c', 'a']

t.test('words, names and errors of documents', async (t) => {
  const named = (list: string[]) =>
    [...nameServices(new Map(list.map((path) => [path, {}])))].map(([path, names]) => [path, names.path, names.text])
  const codes = [...new Set([...Object.keys(STATUS_CODES), '499', '599', 'default', '4xx', ''])]
  isKept(
    t,
    {
      words: texts.map((text) => [text, wordsOf(text), toPascal(wordsOf(text))]),
      services: paths.map(named),
      components: ids.map((id) => `${id} → ${toComponentName(id)}`),
      paths: urls.map((url) => [url, segmentsOf(url), pathParametersIn(url), isPlaceholder(url)]),
      errors: codes
        .map((code) => errorOf(code))
        .filter(({ name }, index) => name !== 'AnyError' || index === codes.length - 1),
      error: errorSchema
    },
    'test/openapi/whole-words.txt'
  )
})
