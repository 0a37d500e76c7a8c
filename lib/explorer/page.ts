import { createHash } from 'node:crypto'
import { escapeHTML } from '../core/html.js'
import readBuiltPage from './built-page.cjs'
import type { ExplorerOptions } from './options.js'
import { originOf } from './options.js'

/** The page with its headers. */
export interface Page {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** The hash of what an element of the page holds, as a policy names it. */
function sourceHashOf(html: string, name: string): string {
  const [, content] = new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(html) as RegExpExecArray
  return `'sha256-${createHash('sha256')
    .update(content as string)
    .digest('base64')}'`
}

/**
 * Makes the page: one file, with its script and its style, which loads nothing but the document.
 */
export function createPage({ document = '', title = '', home = '' }: ExplorerOptions): Page {
  const built = readBuiltPage()
  const policy = {
    'default-src': "'none'",
    'script-src': sourceHashOf(built, 'script'),
    'style-src': sourceHashOf(built, 'style'),
    'connect-src': ["'self'", originOf(document) ?? ''].join(' ').trim(),
    'img-src': 'data: blob:',
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    // The script makes no HTML of texts, and could not.
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'"
  }
  const texts: Record<string, string> = { document, title, home }
  return {
    html: built.replace(/%(document|title|home)%/g, (_placeholder, name) => escapeHTML(texts[name] as string)),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': Object.entries(policy)
        .map(([name, value]) => `${name} ${value}`)
        .join('; '),
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff'
    }
  }
}
