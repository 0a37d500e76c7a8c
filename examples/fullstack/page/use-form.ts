import { type FormEvent, useState } from 'react'

/** A form that calls the server with its fields by name. Until that has answered it is `busy`; what it refuses is in `message`. */
export function useForm(send: (fields: Record<string, string>) => Promise<unknown>) {
  const [message, setMessage] = useState('')
  const [busy, setBusy] = useState(false)

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const entries = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    setBusy(true)
    try {
      await send(Object.fromEntries(entries))
      setMessage('')
      form.reset()
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }

  return { onSubmit, busy, message }
}
