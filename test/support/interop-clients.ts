import { feathers } from '@feathersjs/feathers'
import restClient from '@feathersjs/rest-client'
import axios from 'axios'
import superagent from 'superagent'
import type { RemoteApp } from './client-contract.js'

const rest = restClient.default

function create(connection: { service(name: string): object }): RemoteApp {
  const app = feathers() as unknown as RemoteApp & Record<'configure' | 'use', (...args: unknown[]) => unknown>
  app.configure(connection)
  const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']
  app.use('things', connection.service('things'), { methods })
  return app
}

/** `@feathersjs/rest-client` on each of its HTTP libraries, and what each makes of an answer without a body. */
export const clients: Readonly<Record<string, { connect(base: string): RemoteApp; nothing: unknown }>> = {
  fetch: { connect: (base) => create(rest(base).fetch(fetch)), nothing: null },
  axios: { connect: (base) => create(rest(base).axios(axios)), nothing: '' },
  superagent: { connect: (base) => create(rest(base).superagent(superagent)), nothing: {} }
}
