import type { Test } from 'tap'

/** The paths that a README names, with an id for each placeholder: `/projects/1/issues`. */
const pathsIn = (readme: string): Set<string> =>
  new Set([...readme.matchAll(/`(\/[\w./:-]*)`/g)].map(([, path = '']) => path.replaceAll(/:\w+/g, '1')))

/**
 * Asks each path that a README names, and each file that the pages there link to.
 * @param statuses those of paths that answer otherwise than with 200
 */
export async function askAll(
  t: Test,
  address: string,
  readme: string,
  headers: Record<string, string>,
  statuses: Record<string, number>
): Promise<void> {
  const paths = pathsIn(readme)
  // The page of the explorer asks for it.
  if (paths.has('/explorer')) paths.add('/explorer/document.json')
  for (const path of paths) {
    const controller = new AbortController()
    const response = await fetch(new URL(path, address), { headers, signal: controller.signal })
    t.equal(response.status, statuses[path] ?? 200, path)
    const type = String(response.headers.get('content-type'))
    // A stream has no end. Other answers are read: a server waits for their end when it stops.
    if (type.startsWith('text/event-stream')) controller.abort()
    else {
      const text = await response.text()
      const links = type.startsWith('text/html') ? text.matchAll(/(?:src|href)="(\.{0,2}\/[^"#]*)"/g) : []
      for (const [, link = ''] of links) paths.add(new URL(link, response.url).pathname)
    }
  }
}
