import t from 'tap'
import { checkOptionNames } from '../../lib/core/options.js'

const optionNames = ['secret', 'issuer', 'hooks']
const there = 'There are: jwt.secret, jwt.issuer, jwt.hooks'

const rows: readonly (readonly [name: string, meant: string | undefined])[] = [
  ['secrets', 'secret'],
  ['secrettt', 'secret'],
  ['secretttt', undefined],
  ['ecret', 'secret'],
  ['xsecret', 'secret'],
  ['xxsecret', 'secret'],
  ['xxxsecret', undefined],
  ['scrt', 'secret'],
  ['crt', undefined],
  ['sekret', 'secret'],
  ['sekred', 'secret'],
  ['sikred', undefined],
  ['SECRET', 'secret'],
  ['hook', 'hooks'],
  ['isuer', 'issuer'],
  ['', undefined]
]

for (const [name, meant] of rows)
  t.test(`an option '${name}'${meant ? ` may be '${meant}'` : ''}`, async (t) => {
    const message = `Authentication has no option 'jwt.${name}'. ${there}${meant ? `. Did you mean 'jwt.${meant}'?` : ''}`
    // Whole: one that ends earlier is part of it.
    const whole = new RegExp(`^${message.replace(/[.?]/g, '\\$&')}$`)
    t.throws(() => checkOptionNames({ [name]: 1 }, optionNames, 'Authentication has', 'jwt.'), { message: whole })
  })

t.test('options that there are', async (t) => {
  t.doesNotThrow(() => checkOptionNames({ hooks: 1, secret: 1 }, optionNames, 'Authentication has'))
  t.throws(
    () => checkOptionNames({ hock: 1 }, ['lock', 'hooks', 'hocks'], 'It has'),
    /Did you mean 'lock'/,
    'the nearest'
  )
})
