import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { STATUS_CODES } from 'node:http'
import type { ErrorHandlerOptions, ErrorPage } from '../../../types/fastify.js'
import { escapeHTML } from '../../core/html.js'

/**
 * Creates the page for errors from the option `html`: one of the application, or one for each
 * status.
 * @throws if a file can't be read
 */
export function createErrorPage(html: Exclude<ErrorHandlerOptions['html'], false>): ErrorPage {
  if (html === undefined) return builtInPage
  if (typeof html === 'function') return html
  const pages = new Map(
    Object.entries(html).map(([status, page]) => [status, typeof page === 'string' ? pageFromFile(page) : page])
  )
  return (error, request, reply) =>
    (pages.get(String(error.code)) ?? pages.get('default') ?? builtInPage)(error, request, reply)
}

function pageFromFile(path: string): ErrorPage {
  accessSync(path, constants.R_OK)
  return () => readFile(path, 'utf8')
}

/** Returns the HTML of the built-in page. It loads nothing, and escapes all text. */
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
