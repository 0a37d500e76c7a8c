import type { Call } from '../model/call.js'
import { type Place, toHash } from '../model/place.js'
import { toQuery } from '../model/query.js'
import type { ExploredService, Operation } from '../model/services.js'
import { byId } from './element.js'
import type { RequestPanel } from './request-panel.js'
import type { Exchange, PageSession } from './session.js'
import { waitingView } from './waiting.js'

/** State that all views of the page share. */
export interface Explorer {
  readonly session: PageSession
  readonly panel: RequestPanel
  /** The last list of each service, to go back to. */
  readonly lists: Map<string, Place>
  /** The first shown record of lists that the browser splits into pages, by the hash of the list. */
  readonly pages: Map<string, number>
  /** The forms that somebody has typed in and left, by the hash of their place. */
  readonly drafts: Map<string, Draft>
  /** The services that are asked without a login though they need one. */
  readonly openings: Set<string>
  /** The message that the next view shows about the last action. */
  notice: string
  logIn(): void
  /** Ends what goes on in the view that is shown, when another one takes its place. */
  leave(): void
  /** Shows the place anew. */
  render(): void
  /** Shows the list behind the drawer anew. */
  refreshList(): void
  /** Called after a login or a logout: shows what another user sees, and leaves what is typed. */
  update(): void
}

/** A form as it was left: its elements, with all that is typed in them. */
export interface Draft {
  readonly content: HTMLElement
  /** Shows its request again. */
  preview(): void
}

/** A place with its service and its method. */
export interface View {
  readonly explorer: Explorer
  readonly place: Place
  readonly service: ExploredService
  readonly operation: Operation
}

export const go = (place: Place) => {
  location.hash = toHash(place)
}

/** The part of the page that one works in: the drawer if it is open. The panel shows its request. */
export const front = (): HTMLElement => byId(byId('drawer').hidden ? 'main' : 'drawer')

// Most answers are there before anybody asks where they are.
const untilWaiting = 300

/**
 * Makes a call of a view. The panel shows its answer, unless the view is gone or behind the drawer
 * by then: the panel shows another request. After a moment, the view says that it waits.
 */
export async function sendFrom({ explorer }: View, content: Element, call: Call): Promise<unknown> {
  const { session, panel } = explorer
  let isAnswered = false
  const controller = new AbortController()
  const isInFront = () => front().contains(content)
  const show = (exchange: Exchange) => {
    isAnswered = true
    if (isInFront()) panel.showAnswer(exchange)
  }
  const waiting = waitingView('Waiting for the server…', () => controller.abort())
  const timer = setTimeout(() => content.before(waiting), untilWaiting)
  if (isInFront()) panel.wait()
  try {
    return await session.send(call, { show, signal: controller.signal })
  } catch (error) {
    const isCancelled = controller.signal.aborted
    // Otherwise the panel would show the answer to an earlier request.
    if (!isAnswered && isInFront()) panel.showNoAnswer(isCancelled ? 'Cancelled' : 'No answer')
    throw isCancelled ? controller.signal.reason : error
  } finally {
    clearTimeout(timer)
    waiting.remove()
  }
}

/** The call of a place. */
export const callOf = (
  { service, operation }: Pick<View, 'service' | 'operation'>,
  place: Place,
  data?: unknown
): Call => ({
  service,
  operation,
  id: place.id,
  // A placeholder without a value is not filled in yet.
  route: Object.fromEntries([...place.route].filter(([, value]) => value !== '')),
  // Where a query can't name them, columns are left out on the page alone.
  query: {
    ...toQuery(operation.canSelect ? place : { ...place, columns: [] }, operation),
    ...(operation.tellsMay && operation.name === 'get' && { $may: true })
  },
  data
})
