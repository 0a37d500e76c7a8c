import { useState } from 'react'
import { issues } from './server.js'
import { useForm } from './use-form.js'
import { useLive } from './use-live.js'

/** The newest issues of a project. What anybody changes in them is seen at once. */
export function Issues({ projectId }: { projectId: number }) {
  const route = { projectId }
  const { state, data, error } = useLive(issues, { route, query: { $sort: { id: -1 }, $limit: 50 } })
  const { onSubmit, busy, message } = useForm(({ title = '' }) => issues.create({ title }, { route }))
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
    <section aria-label="Issues">
      <form onSubmit={onSubmit}>
        <input name="title" required maxLength={100} placeholder="What is wrong?" aria-label="Title" />
        <button type="submit" disabled={busy}>
          Add
        </button>
      </form>
      <p role="alert">{message || refusal || error?.message}</p>
      <ul aria-busy={state === 'loading'}>
        {data.map((issue) => (
          <li key={issue.id} className={issue.state}>
            <span>{issue.title}</span>
            <button type="button" onClick={() => toggle(issue.id, issue.state === 'open')}>
              {issue.state === 'open' ? 'Close' : 'Reopen'}
            </button>
          </li>
        ))}
      </ul>
      {state === 'stale' && <p>Not connected. The list is as it was.</p>}
      {state === 'live' && data.length === 0 && <p>There is no issue yet.</p>}
    </section>
  )
}
