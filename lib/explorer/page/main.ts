import { propertyOf, textOf } from '../model/json.js'
import { isLoginService } from '../model/login.js'
import { firstService } from '../model/navigation.js'
import { fromHash, type Place, startOf, toHash } from '../model/place.js'
import { callView } from './call-view.js'
import { hasList, listBeside, markRow, openDrawer, rowKey } from './drawer.js'
import { byId, byKey, element, fill, keepFocus, link } from './element.js'
import { type Explorer, front, type View } from './explorer.js'
import { followKey } from './keys.js'
import { listView } from './list-view.js'
import { listenView } from './listen-view.js'
import { logIn, loginPage, loginState } from './login-view.js'
import { recordView } from './record-view.js'
import { RequestPanel } from './request-panel.js'
import { schemaView } from './schema-view.js'
import { servicesView } from './services-view.js'
import { PageSession } from './session.js'
import { waitingView } from './waiting.js'

const setting = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content

/** Lets the mark lead to the application, where the page is told its address. */
function linkHome(): void {
  const home = setting('home')
  const mark = byId('mark')
  if (home) fill(mark, element('a', { href: home, ariaLabel: 'Back to the application' }, ...mark.children))
}

/** The document that the page is about, with the address that it comes from. */
async function load(): Promise<readonly [document: unknown, place: string]> {
  const documentUrl = setting('document')
  // The page may stand at any address, with or without a slash behind it. One that begins with two
  // is no other host.
  const here = location.origin + location.pathname.replace(/\/+$/, '')
  const place = new URL(documentUrl || `${here}/document.json`, location.href).href
  const response = await fetch(place, { headers: { Accept: 'application/json' } })
  if (!response.ok) throw new Error(`The document at ${place} was answered with ${response.status}`)
  return [await response.json(), place]
}

type Render = (view: View) => unknown

const views: ReadonlyMap<string, Render> = new Map([
  ['find', listView],
  ['get', recordView]
])

/** The pages of a service that are none of its methods. */
const extraViews: ReadonlyMap<string, Render> = new Map([
  ['listen', listenView],
  ['schema', schemaView]
])

const isSameView = (a: Place, b: Place) => a.service === b.service && a.call === b.call && a.id === b.id

function startPage(explorer: Explorer, title: string): void {
  const { services } = explorer.session
  const here = (): Place | undefined => fromHash(location.hash)
  // A service without a list begins with another method.
  const placeOf = (place: Place | undefined): Place | undefined => {
    const service = place && services.get(place.service)
    const isList = service?.operations.has('find') || place?.call !== 'find'
    return service && !isList ? startOf(service) : place
  }
  const showService = servicesView(explorer)
  let shown: Place | undefined

  function show(isAnew: boolean): void {
    explorer.leave()
    explorer.leave = () => {}
    loginState(explorer)
    const first = firstService(services.values(), (operation) => !explorer.session.asksForLogin(operation))
    const place = placeOf(here()) ?? (first && startOf(first))
    const service = place && services.get(place.service)
    showService(service)
    const isLogin = service !== undefined && isLoginService(service) && place?.call === 'find'
    const called = service?.operations.get(isLogin ? 'create' : (place?.call ?? ''))
    const find = service?.operations.get('find')
    const isExtra = called === undefined && (place?.call !== 'listen' || find?.canListen === true)
    const extraView = isExtra ? extraViews.get(place?.call ?? '') : undefined
    const operation = extraView === undefined ? called : find
    if (!place || !service || !operation) {
      const reason =
        services.size === 0
          ? 'The document has no services: it needs openapi() of fastify-services/openapi.'
          : 'There is nothing here.'
      document.title = title
      explorer.panel.clear()
      openDrawer(false)
      fill(
        byId('main'),
        element(
          'div',
          { className: 'empty' },
          element('p', {}, reason),
          first && link(toHash(startOf(first)), '', `Go to /${first.path}`)
        )
      )
      return
    }
    document.title = `${service.path} · ${title}`
    const view: View = { explorer, place, service, operation }
    const list = isLogin || extraView !== undefined ? undefined : listBeside(view)
    const before = shown
    shown = place
    const isOther = before !== undefined && !isSameView(before, place)
    if (isOther) explorer.panel.clearAnswer()
    const isSaved = explorer.notice !== ''
    explorer.update = explorer.render
    openDrawer(list !== undefined)
    if (isOther) front().scrollTop = 0
    const render = isLogin ? loginPage : (extraView ?? views.get(place.call) ?? callView)
    keepFocus(() => void render(view))
    explorer.refreshList = () => {
      if (list !== undefined) void listView(list)
    }
    if (isAnew || (list !== undefined && !hasList(list.place))) explorer.refreshList()
    markRow()
    const isLost = document.activeElement === document.body
    // Who follows a link of a view that is gone goes on at the next one.
    if (isOther && (isLost || (list !== undefined && !front().contains(document.activeElement)))) {
      // Who closes the drawer goes on at its row.
      const isBack = list === undefined && !isSaved && before.service === place.service
      const row = isBack ? byKey(rowKey(before.id)) : undefined
      ;(row ?? front().querySelector<HTMLElement>('h2'))?.focus()
    }
  }
  explorer.render = () => show(true)
  addEventListener('hashchange', () => show(false))
  addEventListener('keydown', followKey)
  addEventListener('beforeunload', (event) => {
    if (explorer.drafts.size > 0) event.preventDefault()
  })
  explorer.render()
}

async function main(): Promise<void> {
  linkHome()
  byId('skip').onclick = () => front().querySelector<HTMLElement>('h2')?.focus()
  const title = byId('title')
  fill(byId('main'), waitingView('Reading the document…'))
  try {
    const [document_, place] = await load()
    const session = new PageSession(document_, place)
    const info = propertyOf(document_, 'info')
    title.textContent ||= textOf(propertyOf(info, 'title')) ?? 'Explorer'
    byId('version').textContent = textOf(propertyOf(info, 'version')) ?? ''
    await session.goOn()
    const explorer: Explorer = {
      session,
      panel: new RequestPanel(session),
      lists: new Map(),
      pages: new Map(),
      drafts: new Map(),
      openings: new Set(),
      notice: '',
      logIn: () => logIn(explorer),
      leave: () => {},
      render: () => {},
      update: () => {},
      refreshList: () => {}
    }
    startPage(explorer, title.textContent)
  } catch (error) {
    const message = (error as Error).message
    fill(
      byId('main'),
      element(
        'div',
        { className: 'problem', role: 'alert' },
        element('strong', {}, 'The document could not be read'),
        element('p', {}, message)
      )
    )
  }
}

void main()
