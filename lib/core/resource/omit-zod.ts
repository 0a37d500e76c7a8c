import type { Omit } from './library-place.js'

interface ZodNode {
  readonly _zod: { readonly def: Definition; readonly values?: ReadonlySet<unknown> }
  clone(definition: object): object
}

interface Definition {
  readonly type: string
  readonly [part: string]: unknown
}

/** `clone` keeps the checks of whole objects: `.omit()` throws if there are any. */
export const omitFromZod: Omit = (schema, place) => {
  const { _zod, clone } = schema as ZodNode
  const { def } = _zod
  const change = (parts: object): object => clone.call(schema, { ...def, ...parts })
  switch (def.type) {
    case 'object': {
      let made: object | undefined
      const shape = () => {
        made ??= Object.fromEntries(
          Object.entries(def.shape as object)
            .filter(([name]) => !place.lacks(name))
            .map(([name, field]) => [name, place.field(name).omit(field)])
        )
        return made
      }
      const definition = Object.defineProperty({ ...def }, 'shape', { get: shape, enumerable: true })
      const catchall = def.catchall === undefined ? {} : { catchall: place.others.omit(def.catchall) }
      return place.begin(schema, clone.call(schema, Object.assign(definition, catchall)), shape)
    }
    case 'array':
      return change({ element: place.item(0).omit(def.element) })
    case 'tuple': {
      const items = (def.items as unknown[]).map((item, index) => place.item(index).omit(item))
      return change({ items, rest: place.item(items.length).omit(def.rest) })
    }
    case 'record': {
      const { values = [] } = (def.keyType as ZodNode)._zod
      if ([...values].some((key) => place.lacks(String(key)))) place.refuse('a record of zod asks for all of its keys')
      return change({ valueType: place.others.omit(def.valueType) })
    }
    case 'union': {
      const options = def.options as unknown[]
      const branches = place.branches(options.length)
      return change({ options: options.map((option, index) => branches[index]?.omit(option)) })
    }
    case 'intersection':
      return change({ left: place.omit(def.left), right: place.omit(def.right) })
    case 'lazy': {
      const getter = () => place.omitAll((def.getter as () => unknown)())
      return place.begin(schema, change({ getter, _cachedInner: undefined }), getter)
    }
    case 'pipe':
      if (isTransformedBefore(def)) place.refuse('a transformation is followed by another schema')
      return change({ in: place.omit(def.in), out: place.omit(def.out) })
    default:
      return def.innerType === undefined ? schema : change({ innerType: place.omit(def.innerType) })
  }
}

/** Whether a schema gets what a transformation has made: its fields are not those of a body. */
const isTransformedBefore = ({ in: first, out }: Definition): boolean => {
  const { type, out: transformed } = (first as ZodNode)._zod.def
  const isTransform = (schema: unknown) => (schema as ZodNode | undefined)?._zod.def.type === 'transform'
  return type === 'pipe' && isTransform(transformed) && !isTransform(out)
}
