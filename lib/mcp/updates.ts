import { idFieldOf } from '../core/adapters/feathers.js'
import { attempt } from '../core/errors.js'
import { placeholdersIn } from '../core/path.js'
import { type CallSource, sendToRoute } from './call.js'
import { readerOf } from './resources.js'
import type { Tool } from './tool.js'

/** How many resources one subscription may name. */
export const maxResources = 20

/** In ms. Clients read a resource again after each update. */
const timeBetweenUpdates = 1000

/**
 * Opens the events of a resource, which its list streams to the caller. Those of a record come from
 * the list with its id.
 *
 * @returns `undefined` if the service has no events, or the caller may not find its records
 */
export async function openEvents(
  uri: string,
  tools: readonly Tool[],
  sourceOf: (tool: Tool) => CallSource
): Promise<AsyncIterable<Buffer> | undefined> {
  const resource = attempt(() => readerOf(uri, tools))
  if (resource?.tool.entry.listen === undefined) return undefined
  const { tool, given } = resource
  const idName = tool.form.isMany ? '' : (placeholdersIn(tool.path).at(-1) ?? '')
  const { [idName]: id, ...others } = given
  const list = id === undefined ? others : { ...others, query: { [idFieldOf(tool.entry.object)]: id } }
  const route = { ...tool, path: tool.entry.path }
  const response = await sendToRoute(route, list, sourceOf(tool), 'text/event-stream').catch(() => undefined)
  return response?.statusCode === 200 ? response.stream() : undefined
}

/** Calls back after changes, at most once a second, until the events end. */
export async function watch(events: AsyncIterable<Buffer>, onChange: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    for await (const frames of events)
      if (/"event":"(?!connected"|stopped")/.test(String(frames)))
        timer ??= setTimeout(() => {
          timer = undefined
          onChange()
        }, timeBetweenUpdates)
  } catch {
    // The client has left.
  }
  clearTimeout(timer)
}
