import { useState } from 'react'
import { Issues } from './issues.jsx'
import { projects } from './server.js'
import { useForm } from './use-form.js'
import { useLive } from './use-live.js'

/** The projects of the organisation, and the issues of the one that is chosen. */
export function Projects() {
  const { data, error } = useLive(projects, { query: { $limit: 100 } })
  const [chosen, choose] = useState<number>()
  const { onSubmit, busy, message } = useForm(async ({ name = '' }) => choose((await projects.create({ name })).id))
  const project = data.find(({ id }) => id === chosen) ?? data[0]
  return (
    <main>
      <nav aria-label="Projects">
        {data.map(({ id, name }) => (
          <button type="button" key={id} aria-pressed={id === project?.id} onClick={() => choose(id)}>
            {name}
          </button>
        ))}
        <form onSubmit={onSubmit}>
          <input name="name" required maxLength={100} placeholder="New project" aria-label="New project" />
          <button type="submit" disabled={busy}>
            Create
          </button>
        </form>
        <p role="alert">{message || error?.message}</p>
      </nav>
      {project && <Issues key={project.id} projectId={project.id} />}
    </main>
  )
}
