import { ApiError } from '../../src/client/calls.ts'
import { keyedFetch } from './keyed-fetch.ts'

/** Long enough for the browser to start writing. */
const keptMs = 60_000

/** With fetch: a plain link would send the cookie without the login key. */
export async function download(path: string, name: string): Promise<void> {
  const response = await keyedFetch(path)
  if (!response.ok) {
    const body = await response.json().catch(() => null)
    throw new ApiError(
      response.status,
      body?.error ?? { code: 'failed', message: `The server answered ${response.status}.` },
    )
  }
  save(name, await response.blob())
}

/** Text that is known already, as a file. */
export const saveText = (name: string, text: string): void => save(name, new Blob([text], { type: 'text/plain' }))

function save(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), keptMs)
}
