import t from 'tap'
import { encodeSegment, fillPath } from '../../lib/core/path.js'

t.test('what can be no segment of a URL is refused, by its name', async (t) => {
  for (const [value, shown] of [
    ['', 'empty'],
    [undefined, 'empty'],
    [null, 'empty'],
    ['.', '"."'],
    ['..', '".."'],
    ['a\ud83d', '"a\\ud83d"']
  ] as const) {
    const message = `The id can't be ${shown}`
    t.throws(() => encodeSegment(value, 'The id'), { message, code: 400 })
  }
})

t.test('what looks alike is a segment', async (t) => {
  for (const [value, segment] of [
    ['...', '...'],
    ['.a', '.a'],
    ['a.', 'a.'],
    [0, '0'],
    [false, 'false'],
    ['a/b', 'a%2Fb'],
    ['\u{1f600}', '%F0%9F%98%80']
  ] as const)
    t.equal(encodeSegment(value, 'The id'), segment)
})

t.test('each placeholder is filled with its own value, and what is none stays', async (t) => {
  t.equal(fillPath(':a/b/:cd/e:f', { a: 1, cd: 'x y', f: 2 }), '1/b/x%20y/e:f')
  t.equal(fillPath('a/b'), 'a/b')
  for (const route of [undefined, {}, { a: undefined }])
    t.throws(() => fillPath('users/:a', route), { message: "The value of ':a' in params.route can't be empty" })
  t.throws(() => fillPath(':toString', {}), { message: "The value of ':toString' in params.route can't be empty" })
})
