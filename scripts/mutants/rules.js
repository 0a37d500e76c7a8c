// What each kind of expression or statement is replaced with.

const operators = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '??=': ['='],
  '||=': ['='],
  '+=': ['-='],
  '-=': ['+=']
}
const methods = {
  some: 'every',
  every: 'some',
  find: 'findLast',
  findLast: 'find',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  push: 'unshift',
  unshift: 'push',
  min: 'max',
  max: 'min'
}
// A call of these is replaced with the object itself.
const droppable = new Set(
  'toLowerCase toUpperCase trim slice filter sort toSorted reverse toReversed flat replace replaceAll catch concat'.split(
    ' '
  )
)

/** @returns where the operator of a node is, which stands behind `from` */
function operatorOf(node, code, from) {
  const start = code.indexOf(node.operator, from)
  return [start, start + node.operator.length]
}

function replaceOperator(node, code) {
  const [start, end] = operatorOf(node, code, node.left.end)
  return (operators[node.operator] ?? []).map((text) => ({ start, end, text }))
}

// In parentheses, since another operator may bind more or less than the one that stands there.
function replaceLogic(node, code) {
  const [start, end] = operatorOf(node, code, node.left.end)
  const [left, right] = [code.slice(node.start, start).trim(), code.slice(end, node.end).trim()]
  return [...operators[node.operator].map((operator) => `${left} ${operator} ${right}`), left, right].map((text) => ({
    start: node.start,
    end: node.end,
    text: `(${text})`
  }))
}

const replace = (node, ...texts) => texts.map((text) => ({ start: node.start, end: node.end, text }))
const remove = (node) => replace(node, ';')
const isUndefined = (node) => node.type === 'Identifier' && node.name === 'undefined'
const isSuper = ({ type, callee }) => type === 'CallExpression' && callee.type === 'Super'

/** Drops an anchor, a quantifier, the negation of a class, or a flag. */
function mutateRegex(node) {
  const { pattern, flags } = node.regex
  const parts = [...pattern.matchAll(/\\[bB]|\\.|(?<=\[)\^|(?<!\[)\^|\$|(?<!\()[+*?]/g)].filter(
    ([part]) => !/^\\[^bB]/.test(part)
  )
  const patterns = parts.map(({ 0: part, index }) => pattern.slice(0, index) + pattern.slice(index + part.length))
  return replace(
    node,
    ...patterns.filter((text) => text !== '').map((text) => `/${text}/${flags}`),
    ...[...flags].map((flag) => `/${pattern}/${flags.replace(flag, '')}`)
  )
}

function mutateLiteral(node) {
  if (node.regex !== undefined) return mutateRegex(node)
  if (typeof node.value === 'boolean') return replace(node, String(!node.value))
  if (typeof node.value === 'string') return replace(node, node.value === '' ? "'mutant'" : "''")
  if (typeof node.value !== 'number') return []
  return replace(node, String(node.value + 1), ...(node.value > 0 ? [String(node.value - 1)] : []))
}

/** Empties a list, and takes each of its members out. */
function mutateList(node, members, empty) {
  if (members.length === 0) return []
  const ends = members.map((member, index) => members[index + 1]?.start ?? member.end)
  const without = members.map((member, index) => ({
    start: index > 0 && index === members.length - 1 ? members[index - 1].end : member.start,
    end: ends[index],
    text: ''
  }))
  return [...replace(node, empty), ...(members.length > 1 ? without : [])]
}

/** `a?.b` → `a.b` */
function dropOptional(node, object, code) {
  if (!node.optional) return []
  const start = code.indexOf('?.', object.end)
  const isDotted = node.type === 'MemberExpression' && !node.computed
  return [{ start, end: start + 2, text: isDotted ? '.' : '' }]
}

function mutateCall(node, code) {
  const { callee } = node
  const optional = dropOptional(node, callee, code)
  if (callee.type !== 'MemberExpression' || callee.computed) return optional
  const { object, property } = callee
  const dot = code.slice(object.end).search(/\??\./) + object.end
  return [
    ...optional,
    ...(methods[property.name] === undefined ? [] : replace(property, methods[property.name])),
    ...(droppable.has(property.name) ? [{ start: node.start, end: node.end, text: code.slice(node.start, dot) }] : [])
  ]
}

/** By type of a node: its mutations. The text between `start` and `end` is replaced with `text`. */
export const rules = {
  BinaryExpression: (node, code) =>
    ['in', 'instanceof'].includes(node.operator)
      ? replace(node, `!(${code.slice(node.start, node.end)})`)
      : replaceOperator(node, code),
  LogicalExpression: replaceLogic,
  AssignmentExpression: replaceOperator,
  UpdateExpression: (node, code) => {
    const [start, end] = operatorOf(node, code, node.start)
    return [{ start, end, text: node.operator === '++' ? '--' : '++' }]
  },
  UnaryExpression: ({ operator, start }) =>
    ['!', '-'].includes(operator) ? [{ start, end: start + 1, text: '' }] : [],
  AwaitExpression: ({ start }) => [{ start, end: start + 'await '.length, text: '' }],
  ConditionalExpression: ({ test }) => replace(test, 'true', 'false'),
  IfStatement: ({ test }) => replace(test, 'true', 'false'),
  WhileStatement: ({ test }) => replace(test, 'false'),
  ForStatement: ({ test }) => (test === null ? [] : replace(test, 'false')),
  ReturnStatement: ({ argument }) => (argument === null || isUndefined(argument) ? [] : replace(argument, 'undefined')),
  ArrowFunctionExpression: ({ expression, body }) =>
    expression && !isUndefined(body) ? replace(body, 'undefined') : [],
  ThrowStatement: remove,
  BreakStatement: remove,
  ContinueStatement: remove,
  ExpressionStatement: (node) => (isSuper(node.expression) ? [] : remove(node)),
  AssignmentPattern: (node) => [{ start: node.left.end, end: node.end, text: '' }],
  Literal: mutateLiteral,
  TemplateLiteral: (node) => (node.end - node.start > 2 ? replace(node, '``') : []),
  ArrayExpression: (node) => mutateList(node, node.elements.filter(Boolean), '[]'),
  ObjectExpression: (node) => mutateList(node, node.properties, '{}'),
  MemberExpression: (node, code) => dropOptional(node, node.object, code),
  CallExpression: mutateCall
}
