import { useState } from 'react'
import { Issues } from './issues.jsx'
import { projects } from './server.js'
import { useForm } from './use-form.js'
import { useLive } from './use-live.js'

/** The projects of the organisation, and the issues of the chosen one. */
export function Projects() {
  const { data, result, error } = useLive(projects, { query: { $limit: 100 } })
  const [chosen, choose] = useState<number>()
  const form = useForm(async ({ name = '' }) => choose((await projects.create({ name })).id))
  const project = data.find(({ id }) => id === chosen) ?? data[0]
  return (
    <main>
      <section className="card" aria-label="Projects">
        <h2>
          Projects <span className="dim">{result?.total}</span>
        </h2>
        <nav>
          {data.map(({ id, name }) => (
            <button type="button" key={id} aria-pressed={id === project?.id} onClick={() => choose(id)}>
              {name}
            </button>
          ))}
        </nav>
        <form onSubmit={form.onSubmit} onInput={form.clear}>
          <input name="name" required maxLength={100} placeholder="New project" aria-label="New project" />
          <button type="submit" className={project ? '' : 'primary'} disabled={form.busy}>
            Create
          </button>
        </form>
        <p role="alert">{form.message || error?.message}</p>
      </section>
      {project && <Issues key={project.id} project={project} />}
      {result?.total === 0 && <p className="card empty">Create your first project: its issues live in it.</p>}
    </main>
  )
}
