/** The segments of the path of a service. */
export const segmentsOf = (path: string) => path.split('/').filter(Boolean)

export const isPlaceholder = (segment: string) => segment.includes(':')

/** The names of the placeholders of a path, as OpenAPI writes it: `/posts/{id}`. */
export const pathParametersIn = (url: string) => [...url.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string)
