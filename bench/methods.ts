/** A service of six methods that do nothing. It imports nothing: what imports it may measure an import. */
export const sixMethods = () => ({
  find: async () => [],
  get: async (id: string) => ({ id }),
  create: async (data: unknown) => data,
  update: async (_id: string, data: unknown) => data,
  patch: async (_id: string, data: unknown) => data,
  remove: async (id: string) => ({ id })
})
