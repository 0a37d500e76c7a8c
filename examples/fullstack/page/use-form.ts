import { type FormEvent, useState } from 'react'

/**
 * A form that sends its fields by name. It is `busy` until the server has answered. `message` says
 * why that refused them, until somebody changes the form.
 */
export function useForm(send: (fields: Record<string, string>) => Promise<unknown>) {
  const [message, setMessage] = useState('')
  const [busy, setBusy] = useState(false)
  const clear = () => setMessage('')

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const entries = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    setBusy(true)
    try {
      await send(Object.fromEntries(entries))
      clear()
      form.reset()
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }

  return { onSubmit, clear, busy, message }
}
