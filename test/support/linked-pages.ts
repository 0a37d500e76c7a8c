import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

type Row = Record<string, unknown>

/** Returns the link of an answer to the next page. */
export const nextLink = ({ headers: { link } }: LightMyRequestResponse): string | undefined =>
  /<(\?[^>]*)>; rel="next"/.exec(String(link))?.[1]

/**
 * Follows the links of pages to the end, and returns the records of each.
 *
 * @param between runs between two pages
 * @throws if an answer is no page
 */
export async function linkedPages(
  app: FastifyInstance,
  url: string,
  between: (page: Row[]) => unknown = () => {}
): Promise<Row[][]> {
  const pages: Row[][] = []
  const path = url.split('?')[0]
  for (let next: string | undefined = url; next !== undefined; ) {
    const response: LightMyRequestResponse = await app.inject(next)
    if (response.statusCode !== 200) throw new Error(`${next}: ${response.body}`)
    const page = response.json().data as Row[]
    pages.push(page)
    if (pages.length > 1000) throw new Error(`${url} has no end`)
    await between(page)
    const link = nextLink(response)
    next = link && path + link
  }
  return pages
}
