import { byId, element, fill } from './element.js'

/** The query as a command for a shell. Brackets and dollars are as good as their codes, and can be read. */
function toCurl(address: string, queryString: string): string {
  const codes: Record<string, string> = { '%24': '$', '%5B': '[', '%5D': ']' }
  const readable = queryString.replace(/%(24|5B|5D)/g, (code) => codes[code] as string)
  return `curl -g '${address}${readable.replaceAll("'", '%27')}'`
}

/** Shows the command that sends the query of the table. It breaks before a condition. */
export function showCurl(address: string, queryString: string): void {
  const parts = toCurl(address, queryString).split(/(?<=[?&])/)
  fill(byId('curl'), ...parts.flatMap((part) => [part, element('wbr')]))
}

export async function copyCurl(): Promise<void> {
  const shown = byId('curl')
  let outcome = 'Copied'
  try {
    // Only pages over https, and those of this computer, have it.
    await navigator.clipboard.writeText(shown.textContent)
  } catch {
    getSelection()?.selectAllChildren(shown)
    outcome = 'Press Ctrl+C'
  }
  const places = [byId('copy'), byId('copied')]
  for (const place of places) place.textContent = outcome
  setTimeout(() => {
    fill(byId('copy'), 'Copy')
    fill(byId('copied'))
  }, 2000)
}
