import t from 'tap'
import { register } from '../support/auth-fault-register.js'

const secret = 's'.repeat(32)
const there = 'There are: jwt.expiresIn, jwt.issuer, jwt.audience, jwt.algorithm, jwt.header, jwt.jwks'

const rows: readonly (readonly [name: string, meant: string | undefined])[] = [
  ['issuers', 'issuer'],
  ['issuerrr', 'issuer'],
  ['issuerrrr', undefined],
  ['ssuer', 'issuer'],
  ['xissuer', 'issuer'],
  ['xxissuer', 'issuer'],
  ['xxxissuer', undefined],
  ['issr', 'issuer'],
  ['isr', undefined],
  ['isxuer', 'issuer'],
  ['isxuex', 'issuer'],
  ['xsxuex', undefined],
  ['ISSUER', 'issuer'],
  ['head', 'header'],
  ['', undefined]
]

for (const [name, meant] of rows)
  t.test(`an option '${name}'${meant ? ` may be '${meant}'` : ''}`, async (t) => {
    const message = `Authentication has no option 'jwt.${name}'. ${there}${meant ? `. Did you mean 'jwt.${meant}'?` : ''}`
    // Whole: one that ends earlier is part of it.
    const whole = new RegExp(`^${message.replace(/[.?]/g, '\\$&')}$`)
    await t.rejects(register({ secret, jwt: { [name]: 1 } }), { message: whole })
  })

t.test('options that there are, and the nearest of two', async (t) => {
  await t.resolves(register({ secret, jwt: { issuer: 'a', expiresIn: '1h' } }))
  await t.rejects(register({ secret, entitye: 1 }), /entityId.*Did you mean 'entity'\?$/)
})
