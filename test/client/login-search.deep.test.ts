import { invariants, searchLogins } from '../support/login-invariants.js'
import { createLoginRun } from '../support/login-run.js'

// The same runs each time. Others: SEED=$RANDOM RUNS=50000. A run is made again by its seed: SEED=… RUNS=1.
const first = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 2000)

// Locks of the platform take their time, which is no seed's.
Object.defineProperty(globalThis, 'navigator', { configurable: true, value: undefined })
/** What goes wrong in some of the runs, by what does not hold, each with the shortest run that shows it. */
async function search() {
  const failures = new Map<string, { count: number; seed: number; text: string; trace: readonly string[] }>()
  for (let seed = first; seed < first + runs; seed++) {
    const run = createLoginRun(seed)
    const [text = ''] = await searchLogins(run)
    if (text === '') continue
    const name = text.slice(0, text.indexOf(':'))
    const before = failures.get(name)
    const count = (before?.count ?? 0) + 1
    const { trace } = run.schedule
    failures.set(
      name,
      before && before.trace.length <= trace.length ? { ...before, count } : { count, seed, text, trace }
    )
  }
  return failures
}

// tap watches every promise, which doubles the time of the search: it is loaded after it.
const failures = await search()
const { default: t } = await import('tap')

t.test(`${runs} interleavings of logins, logouts, renewals, calls and other tabs, from SEED=${first}`, async (t) => {
  for (const [name, { count, seed, text, trace }] of failures) {
    const rule = invariants[name as keyof typeof invariants]
    t.fail(`${rule} (${count} of ${runs}; SEED=${seed} RUNS=1)`, { text, trace })
  }
  t.equal(failures.size, 0)
})
