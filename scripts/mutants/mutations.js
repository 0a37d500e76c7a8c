// The single mutations of a program.
import { parse } from 'acorn'
import { rules } from './rules.js'

const options = { ecmaVersion: 'latest', sourceType: 'module' }

/** The children of a node that can be mutated: no imports, no names of properties, no descriptions of symbols. */
function childrenOf(node) {
  if (/^Import|^ExportAll/.test(node.type) || (node.type === 'CallExpression' && node.callee.name === 'Symbol'))
    return []
  const skipped = node.type === 'Property' && !node.computed ? 'key' : 'source'
  return Object.entries(node).flatMap(([name, value]) =>
    name === skipped ? [] : [value].flat().filter((child) => typeof child?.type === 'string')
  )
}

/** @returns the program with the mutation; `undefined` where that is none */
export function plant(code, { start, end, text }) {
  const planted = code.slice(0, start) + text + code.slice(end)
  try {
    parse(planted, options)
    return planted
  } catch {
    return undefined
  }
}

/** All single mutations of a program: the text between `start` and `end` is replaced with `text`. */
export function mutationsOf(code) {
  const walk = (node) => [...(rules[node.type]?.(node, code) ?? []), ...childrenOf(node).flatMap(walk)]
  return walk(parse(code, options))
}
