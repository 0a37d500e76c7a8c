import type { FastifyInstance } from 'fastify'
import type { Params } from 'fastify-services'
import { tell } from './control.js'
import { oddSources } from './odd-sources.js'
import { type Course, create } from './sources.js'
import { remember, wait } from './waiting.js'
import { pathOf, ways } from './ways.js'

/** A service for each way of a result, at `/streams` or `/late`: `get` gives the source that its id names. */
export async function registerStreams(app: FastifyInstance): Promise<void> {
  for (const [name, { isLate, options }] of Object.entries(ways)) {
    const waits = name.endsWith('while the method runs')
    const get = async (id: string, params: Params) => {
      if (waits) await wait(params)
      if (name === 'the method tells that it returns') tell()
      return create(id, params.query?.course as Course)
    }
    app.service(`${isLate ? 'late' : 'streams'}/${pathOf(name)}`, { get }, { ...options, before: remember } as object)
  }
  app.service('odd-sources', { get: async (id: string) => oddSources[id]?.[1]() })
}
