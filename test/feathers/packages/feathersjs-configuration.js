import { serve, set } from './serve.js'

/** Settings of a file, which the schema checks when the application starts. */
export async function run(t) {
  // It is read when the package is loaded.
  process.env.NODE_CONFIG = JSON.stringify({ paginate: { default: 10 }, host: 'here' })
  process.env.NODE_CONFIG_DIR = new URL('.', import.meta.url).pathname
  process.env.SUPPRESS_NO_CONFIG_WARNING = 'true'
  const { default: configuration } = await import('@feathersjs/configuration')
  const read = {
    after: {
      get: [set('result', (context) => ['paginate', 'host', 'nothing'].map((name) => context.app.get(name) ?? null))]
    }
  }
  const on = (name, settings, act, expected) =>
    t.check(
      name,
      async () => {
        const side = await t.create({ settings })
        try {
          return await act(side)
        } finally {
          await side.close()
        }
      },
      expected
    )
  await on('hooks find the settings', configuration(), async (side) => (await serve(side, read)).notes.get(1), [
    { default: 10 },
    'here',
    null
  ])
  await on(
    'settings that fit the schema',
    configuration(async (settings) => settings),
    async (side) => (await serve(side, read)).notes.get(1),
    [{ default: 10 }, 'here', null]
  )
  await on(
    'settings that do not',
    configuration(async () => {
      throw new TypeError('No')
    }),
    async (side) => serve(side, read),
    { error: 'TypeError' }
  )
  await on(
    'a hook changes one',
    configuration(),
    async (side) => {
      const { notes } = await serve(side, { before: { all: [({ app }) => void app.set('host', 'there')] }, ...read })
      return (await notes.get(1))[1]
    },
    'there'
  )
}
