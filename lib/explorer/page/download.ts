import { element } from './element.js'

/** Gives a text to the browser as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  element('a', { href: url, download: name }).click()
  // The browser may still read it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
