import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { STATUS_CODES } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { ErrorHandlerOptions, ErrorPage } from '../../../types/fastify.js'
import type { Describable } from '../../core/description.js'
import { escapeHTML } from '../../core/html.js'
import { pluginState } from '../../core/plugin-state.js'

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
export const builtInPage = ({ code, message }: { code: number; message: string }): string =>
  htmlDocument(
    `${code} ${STATUS_CODES[code] ?? ''}`.trim(),
    `<p>${escapeHTML(message)}</p>\n<p><a href="/">Go to the start page</a></p>`
  )

/**
 * Returns the HTML of a page that names the services of an application, for a browser that opens
 * its address where the application has no page.
 */
export function servicesPage(app: FastifyInstance): string {
  const items = pluginState(app).services?.entries.map(toItem) ?? []
  const hasExplorer = app.hasRoute({ method: 'GET', url: '/explorer' })
  const explorer = hasExplorer ? '\n<p><a href="/explorer">Open the explorer</a></p>' : ''
  return htmlDocument('Services', `<ul>\n${items.join('\n')}\n</ul>${explorer}`)
}

function toItem({ path, exposed }: Describable): string {
  const url = escapeHTML(`/${path}`)
  const isLink = exposed.includes('find') && !path.includes(':')
  return `<li>${isLink ? `<a href="${url}">${url}</a>` : url} <small>${escapeHTML(exposed.join(', '))}</small></li>`
}

const htmlDocument = (title: string, content: string) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHTML(title)}</title>
<style>
:root { color-scheme: light dark; color: light-dark(#17212b, #e6ebf1); background: light-dark(#f4f6f8, #10151c) }
body { font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 40rem; margin: 15vh auto; padding: 0 1rem }
a { color: light-dark(#0a6285, #5cc0e6) }
small { color: light-dark(#55626f, #9dabba) }
</style>
</head>
<body>
<main>
<h1>${escapeHTML(title)}</h1>
${content}
<p><small>Programs get JSON here if they send <code>Accept: application/json</code>.</small></p>
</main>
</body>
</html>
`
