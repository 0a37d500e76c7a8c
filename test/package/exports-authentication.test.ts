import t from 'tap'

const names = ['JwtStrategy', 'LocalStrategy', 'authenticate', 'default', 'hashPassword', 'memoryStore', 'protect']

t.test('the door of authentication exports these names, and no others', async (t) => {
  t.same(Object.keys(await import('fastify-services/authentication')).sort(), names)
})
