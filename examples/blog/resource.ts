type Schema = { readonly [keyword: string]: unknown }
type Fields = Readonly<Record<string, Schema>>

const object = (properties: Fields, more: Schema = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more
})

/** The schemas of the methods of a service, from the fields of one record: all are required that have no default. */
export function resource(fields: Fields) {
  const having = (flag: string) => Object.keys(fields).filter((name) => fields[name]?.[flag] === true)
  const without = (flag: string) => pick(fields, (name) => !having(flag).includes(name))
  const [sent, shown] = [without('readOnly'), without('writeOnly')]
  const required = (among: Fields) => Object.keys(among).filter((name) => among[name]?.default === undefined)
  const response = object(shown, { required: Object.keys(shown) })
  const filters = mapFields(
    pick(shown, (name) => ['string', 'integer', 'boolean'].includes(String(shown[name]?.type))),
    filter
  )
  const querystring = object({
    ...filters,
    $or: { type: 'array', items: object(filters) },
    $limit: { type: 'integer', minimum: 0 },
    $skip: { type: 'integer', minimum: 0 },
    $sort: object(mapFields(filters, () => ({ type: 'integer', enum: [1, -1] }))),
    $select: { type: 'array', items: { type: 'string', enum: Object.keys(shown) } }
  })
  const selection = object(filters)
  const body = object(sent, { required: required(sent) })
  const changes = object(
    mapFields(sent, ({ default: _, ...schema }) => schema),
    { minProperties: 1 }
  )
  return {
    find: { querystring, response },
    get: { response },
    create: { body, response },
    update: { body, response },
    patch: { querystring: selection, body: changes, response },
    remove: { querystring: selection, response }
  }
}

function filter({ default: _, readOnly, description, ...value }: Schema): Schema {
  const list = { type: 'array', items: value }
  const compare = value.type === 'boolean' ? {} : { $lt: value, $lte: value, $gt: value, $gte: value }
  return { anyOf: [value, object({ $ne: value, ...compare, $in: list, $nin: list }, { minProperties: 1 })] }
}

const pick = (fields: Fields, has: (name: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => has(name)))

const mapFields = (fields: Fields, map: (schema: Schema) => Schema): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, map(schema)]))
