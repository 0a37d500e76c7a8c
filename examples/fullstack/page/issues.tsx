import { useState } from 'react'
import { issues } from './server.js'
import { useForm } from './use-form.js'
import { useLive } from './use-live.js'

/** The issues of a project, open ones first. Changes by other people show at once. */
export function Issues({ project }: { project: { id: number; name: string } }) {
  const route = { projectId: project.id }
  const { state, data, result, error } = useLive(issues, { route, query: { $sort: { state: -1, id: -1 }, $limit: 50 } })
  const open = useLive(issues, { route, query: { state: 'open', $limit: 0 } }).result?.total
  const form = useForm(({ title = '' }) => issues.create({ title }, { route }))
  const [refusal, setRefusal] = useState('')

  async function toggle(id: number, isOpen: boolean) {
    try {
      await (isOpen ? issues.close(id, {}, { route }) : issues.reopen(id, {}, { route }))
      setRefusal('')
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error))
    }
  }

  return (
    <section className="card" aria-label="Issues">
      <h2>
        {project.name} {open !== undefined && <span className="dim">{open} open</span>}
        <span className={`dim state ${state}`} role="status">
          {state === 'stale' ? 'Not connected' : state}
        </span>
      </h2>
      <form onSubmit={form.onSubmit} onInput={form.clear}>
        <input name="title" required maxLength={100} placeholder="What is wrong?" aria-label="Title" />
        <button type="submit" className="primary" disabled={form.busy}>
          Add
        </button>
      </form>
      <p role="alert">{form.message || refusal || error?.message}</p>
      <ul aria-busy={state === 'loading'}>
        {data.map(({ id, title, state }) => (
          <li key={id} className={state}>
            <span>{title}</span>
            <button type="button" onClick={() => toggle(id, state === 'open')}>
              {state === 'open' ? 'Close' : 'Reopen'}
            </button>
          </li>
        ))}
      </ul>
      {result?.total === 0 && <p className="empty">No issues yet. Write down the first one.</p>}
    </section>
  )
}
