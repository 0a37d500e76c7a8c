import '../support/auth-scrypt.js'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { documentOf } from './app.js'
import { documents } from './documented.js'

type Json = Record<string, unknown>

/** A document without what all of them have: the words of errors and pages, which `whole.txt` keeps. */
function shortened(document: Json): Json {
  const { components, paths = {}, openapi, info, tags, servers, ...rest } = document as Record<string, Json>
  const { Error: _, ...schemas } = Object(components?.schemas)
  const named = Object.entries(schemas).map(([name, schema]) => [name, name.endsWith('Page') ? pageOf(schema) : schema])
  const operations = Object.entries(paths).flatMap(([url, item]) =>
    Object.entries(Object(item)).map(([verb, operation]) => [`${verb} ${url}`, shortOperation(operation as Json)])
  )
  return {
    ...rest,
    schemas: Object.fromEntries(named),
    operations: Object.fromEntries(operations)
  }
}

const pageOf = (schema: unknown) => ({ page: Object(schema).properties?.data?.items })

/** Content as its schema alone where it is JSON. */
function shortContent(part: unknown): unknown {
  const { content, ...rest } = Object(part)
  const { 'application/json': json, ...others } = Object(content)
  return json === undefined || Object.keys(others).length > 0 ? part : { ...rest, json: json.schema }
}

/** What the mark of an operation says, in one line. */
const shortMark = ({ path, method, route = 'by a header', id = '' }: Json) =>
  `${path || '/'} ${method} ${route} ${id}`.trim()

/** An operation: its name and words, what its mark says, the statuses of errors, and what it has besides. */
function shortOperation(operation: Json): unknown[] {
  const {
    responses,
    parameters,
    tags,
    security,
    requestBody,
    'x-service': mark,
    operationId,
    summary,
    ...rest
  } = operation
  const answers = Object.entries(Object(responses))
  const isError = ([, answer]: [string, unknown]) => Object(answer).$ref !== undefined || isStandard(answer)
  const errors = answers.filter(isError).map(([status]) => status)
  const results = answers.filter((answer) => !isError(answer)).map(([status, answer]) => [status, shortContent(answer)])
  const more = {
    ...rest,
    ...(JSON.stringify(tags) !== JSON.stringify([Object(mark).path]) && { tags }),
    ...(JSON.stringify(security) !== '[]' && { security }),
    ...(requestBody !== undefined && { body: shortContent(requestBody) }),
    ...(Array.isArray(parameters) && { parameters: parameters.map(shortParameter) })
  }
  const said = typeof mark === 'object' ? shortMark(Object(mark)) : (mark ?? 'no mark')
  const parts = [more, Object.fromEntries(results)].filter((part) => Object.keys(part).length > 0)
  return [`${operationId}: ${summary} | ${said} | ${errors.join(' ')}`, ...parts]
}

const isStandard = (answer: unknown) => JSON.stringify(answer).includes('#/components/schemas/Error"')

/** A parameter as its name alone where it is one that all services have. */
const shortParameter = (parameter: Json) =>
  /^\$/.test(String(parameter.name)) || JSON.stringify(parameter) === plainId ? parameter.name : parameter
const plainId = JSON.stringify({
  ...{ name: 'id', in: 'path', required: true },
  ...{ description: 'The id of the record.', schema: { type: 'string' } }
})

t.test('documents of services of all kinds', async (t) => {
  const kept: Json = {}
  for (const [name, [build, given]] of Object.entries(documents))
    kept[name] = shortened((await documentOf(t, build, given)) as Json)
  isKept(t, kept, 'test/openapi/whole-services.txt')
})
