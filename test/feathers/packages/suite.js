/** Runs a suite that is written with `describe` and `it`. @returns the tests in order: `{ name, error }` */
export async function runSuite(define) {
  const root = { name: '', items: [], before: [], after: [], beforeEach: [], afterEach: [] }
  let current = root
  const it = (name, act) => current.items.push({ name, act })
  it.skip = () => {}
  const describe = (name, body) => {
    const group = { name, items: [], before: [], after: [], beforeEach: [], afterEach: [] }
    current.items.push(group)
    const outer = current
    current = group
    body()
    current = outer
  }
  const hooks = ['before', 'after', 'beforeEach', 'afterEach'].map((type) => [type, (act) => current[type].push(act)])
  const names = { describe, it, ...Object.fromEntries(hooks) }
  Object.assign(globalThis, names)
  try {
    define()
  } finally {
    for (const name of Object.keys(names)) delete globalThis[name]
  }

  const results = []
  const all = async (acts) => {
    for (const act of acts) await act()
  }
  async function run({ name, items, act, ...group }, path, around) {
    const title = [...path, name].filter(Boolean)
    if (act === undefined) {
      await all(group.before)
      const inner = {
        before: [...around.before, ...group.beforeEach],
        after: [...group.afterEach, ...around.after]
      }
      for (const item of items) await run(item, title, inner)
      await all(group.after)
      return
    }
    let error
    try {
      await all(around.before)
      await act()
    } catch (thrown) {
      error = thrown
    }
    await all(around.after).catch((thrown) => {
      error ??= thrown
    })
    results.push({ name: title.slice(1).join(' '), error })
  }
  await run(root, [], { before: [], after: [] })
  return results
}
