import feathersExpress from '@feathersjs/express'
import { bodyParser, cors, errorHandler, parseAuthentication, serveStatic } from '@feathersjs/koa'
import t from 'tap'

// With @feathersjs/koa and @feathersjs/express 5.0.50. If a factory returns the same function each time, compare the functions.
const express = feathersExpress
const factories: Record<string, () => unknown> = {
  'bodyParser of Koa': () => bodyParser(),
  'cors of Koa': () => cors(),
  'errorHandler of Koa': () => errorHandler(),
  'parseAuthentication of Koa': () => parseAuthentication(),
  'serveStatic of Koa': () => serveStatic('.'),
  'compression of Express': () => express.compression(),
  'cors of Express': () => express.cors(),
  'errorHandler of Express': () => express.errorHandler(),
  'json of Express': () => express.json(),
  'notFound of Express': () => express.notFound(),
  'serveStatic of Express': () => express.serveStatic('.'),
  'urlencoded of Express': () => express.urlencoded({ extended: true })
}

for (const [name, create] of Object.entries(factories))
  t.test(`${name} returns a new function with the same source text`, async (t) => {
    const [first, second] = [create(), create()]
    t.type(first, 'function')
    t.not(first, second, 'only the text is the same')
    t.equal(String(first), String(second))
  })
