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
  const operations = Object.entries(paths).map(([url, item]) => [
    url,
    Object.fromEntries(
      Object.entries(Object(item)).map(([verb, operation]) => [verb, shortOperation(operation as Json)])
    )
  ])
  return {
    ...rest,
    schemas: Object.fromEntries(named),
    paths: Object.fromEntries(operations)
  }
}

const pageOf = (schema: unknown) => ({ page: Object(schema).properties?.data?.items })

function shortOperation({ responses, parameters, ...operation }: Json): Json {
  const answers = Object.entries(Object(responses))
  const isError = ([, answer]: [string, unknown]) => Object(answer).$ref !== undefined || isStandard(answer)
  const errors = answers.filter(isError).map(([status]) => status)
  return {
    ...operation,
    ...(Array.isArray(parameters) && { parameters: parameters.map(shortParameter) }),
    responses: Object.fromEntries(answers.filter((answer) => !isError(answer))),
    errors: errors.join(' ')
  }
}

const isStandard = (answer: unknown) => JSON.stringify(answer).includes('#/components/schemas/Error"')

/** A parameter as its name alone where it is one that all services have. */
const shortParameter = (parameter: Json) => (/^\$/.test(String(parameter.name)) ? parameter.name : parameter)

t.test('documents of services of all kinds', async (t) => {
  const kept: Json = {}
  for (const [name, [build, given]] of Object.entries(documents))
    kept[name] = shortened((await documentOf(t, build, given)) as Json)
  isKept(t, kept, 'test/openapi/whole-services.txt')
})
