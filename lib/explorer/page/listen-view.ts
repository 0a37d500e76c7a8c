import { toListKey } from '../../client/events/messages.js'
import { createStream } from '../../client/events/stream.js'
import { type Call, missingIn } from '../model/call.js'
import {
  connecting,
  type Heard,
  type HeardEvent,
  hear,
  type ListeningState,
  type ListMessage,
  nothingHeard,
  stopped,
  toListening
} from '../model/heard.js'
import { recordAt, toHash } from '../model/place.js'
import { button, byId, type Content, element, fill, link } from './element.js'
import { callOf, type View } from './explorer.js'
import { createForm, headView, routeFields, showHead, trail } from './head-view.js'
import { loginNotice } from './login-view.js'
import { problemView } from './problem-view.js'

/** How often a server gives a sign of life, until it says that itself, in ms. */
const usualHeartbeat = 20_000

/** The events of a list, as they come. The stream ends with the view. */
export function listenView(view: View): void {
  const { explorer, service, operation, place } = view
  const call = { ...callOf(view, place), isStream: true }
  const content = element('div', { className: 'listening' })
  fill(byId('main'), headView(view, trail(view, 'Listen')), placeholdersForm(view), content)
  void explorer.panel.show(call)
  explorer.panel.clearAnswer()
  const missing = missingIn(call)
  if (explorer.session.asksForLogin(operation) && !explorer.openings.has(service.path)) fill(content, loginNotice(view))
  else if (missing.length > 0)
    fill(content, element('p', { className: 'empty' }, `Fill in ${missing.join(' and ')} to listen.`))
  else listen(view, call, content)
}

/** Asks for the values of placeholders, without which there is no list. */
function placeholdersForm(view: View): Content {
  if (view.service.placeholders.length === 0) return undefined
  let draft = view.place
  const fields = routeFields(view, (part) => {
    draft = { ...draft, ...part }
  })
  const submit = element('button', { className: 'small primary' }, 'Listen')
  return createForm('', () => showHead(view, draft), fields, submit)
}

function listen(view: View, call: Call, content: HTMLElement): void {
  const { explorer, service } = view
  const state = element('p', { role: 'status' })
  const turn = button('', () => (isOver ? start() : stop()), { key: 'turn' })
  const problem = element('div')
  const events = element('div', { className: 'records' })
  let heard: Heard = nothingHeard
  let isOver = false
  const key = toListKey(service.path, {})
  const stream = createStream({
    open: (_keys, position, signal) => explorer.session.listen(call, position, signal),
    keys: () => [key],
    tell: take,
    warn: (text) => fill(problem, element('p', { className: 'dim' }, text)),
    heartbeat: usualHeartbeat,
    position: undefined
  })

  function take(message: ListMessage): void {
    const listening = toListening(message)
    if (listening !== undefined) {
      show(listening)
      fill(problem, listening.isOver && problemView(explorer, message.error))
    }
    const before = heard
    heard = hear(heard, message, service.idField, new Date())
    if (heard !== before) fill(events, heardView(view, heard))
  }

  function show(listening: ListeningState): void {
    isOver = listening.isOver
    state.textContent = listening.text
    state.className = listening.isLive ? 'good' : 'dim'
    turn.textContent = isOver ? 'Listen again' : 'Stop'
  }

  function start(): void {
    show(connecting)
    fill(problem)
    stream.restart()
  }

  function stop(): void {
    stream.stop()
    show(stopped)
  }

  fill(content, element('div', { className: 'tools' }, state, turn), problem, events)
  fill(events, heardView(view, heard))
  explorer.leave = () => stream.stop()
  start()
}

/** Shows the events as a table. */
function heardView(view: View, { events, dropped }: Heard): Content {
  if (events.length === 0) return element('p', { className: 'empty' }, 'Nothing has happened yet.')
  const headings = ['Time', 'Event', view.service.idField, 'Note'].map((label) =>
    element('th', { scope: 'col' }, label)
  )
  return [
    element(
      'div',
      { className: 'scroll', role: 'log', ariaLabel: 'Events', tabIndex: 0 },
      element(
        'table',
        {},
        element('thead', {}, element('tr', {}, headings)),
        element(
          'tbody',
          {},
          events.map((event) => eventRow(view, event))
        )
      )
    ),
    dropped > 0 && element('p', { className: 'dim' }, `Older events that are not shown: ${dropped}.`)
  ]
}

function eventRow({ service, place }: View, { time, name, id, text }: HeardEvent): HTMLElement {
  const isThere = service.operations.has('get') && name !== 'removed'
  return element(
    'tr',
    {},
    element('td', {}, time.toLocaleTimeString()),
    element('td', {}, name),
    element('td', {}, id !== undefined && isThere ? link(toHash(recordAt(place, id)), '', id) : id),
    element('td', { className: 'dim' }, text)
  )
}
