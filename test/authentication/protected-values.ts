import { protect } from 'fastify-services/authentication'

export const hook = protect('secret', 'PIN')
export const own = { id: 1, secret: 's', PIN: 'p', pin: 'q', Secret: 't' }
export const thrown = (error: object, values: object) => Object.assign(error, values)
export const getter = (name: string, get: () => unknown, of: object = {}) =>
  Object.defineProperty(of, name, { enumerable: true, get })
export const fail = () => {
  throw new Error('s')
}
