import type { FastifyInstance } from 'fastify'

/**
 * Reads a list page by page, and returns the ids of all pages.
 *
 * @param between is called after each page
 */
export async function pagesOf(app: FastifyInstance, url: string, between?: () => Promise<unknown>): Promise<number[]> {
  const ids: number[] = []
  for (let total = 1; ids.length < total; await between?.()) {
    const page = (await app.inject(encodeURI(`${url}&$skip=${ids.length}`))).json()
    total = page.total
    ids.push(...page.data.map(({ id }: { id: number }) => id))
  }
  return ids
}
