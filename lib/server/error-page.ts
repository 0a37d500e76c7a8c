import { STATUS_CODES } from 'node:http'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHTML = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] as string)

/**
 * The page for an error if the application has none of its own. It loads nothing, and escapes everything that it shows.
 */
export function builtInPage({ code, message }: { code: number; message: string }): string {
  const title = escapeHTML(`${code} ${STATUS_CODES[code] ?? ''}`.trim())
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1rem; color: #222 }</style>
</head>
<body>
<h1>${title}</h1>
<p>${escapeHTML(message)}</p>
</body>
</html>
`
}
