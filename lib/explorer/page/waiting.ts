import { button, element } from './element.js'

// After so many seconds people want to do something else.
const untilCancel = 5

/** Says what the page waits for, and for how long. Offers to cancel after a while. */
export function waitingView(text: string, cancel?: () => void): HTMLElement {
  const seconds = element('span', { ariaHidden: 'true' })
  const stop = cancel && button('Cancel the request', cancel, { className: 'small', hidden: true })
  const view = element('div', { className: 'waiting dim' }, element('span', { role: 'status' }, text), seconds, stop)
  const start = performance.now()
  const timer = setInterval(() => {
    if (!view.isConnected) return clearInterval(timer)
    const passed = Math.floor((performance.now() - start) / 1000)
    seconds.textContent = `${passed} s`
    if (stop) stop.hidden = passed < untilCancel
  }, 1000)
  return view
}
