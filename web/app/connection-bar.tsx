import { useBackend, useConnection } from '../api/backend.tsx'

/** Says that the data may be outdated, why, and what happens next. */
export function ConnectionBar() {
  const state = useConnection()
  const { retry } = useBackend()
  if (state !== 'lost') return null
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 bg-wait-soft px-4 py-2 text-sm text-wait md:px-6">
      Can’t reach the server. Showing earlier data; reconnecting…
      <button type="button" onClick={retry} className="min-h-8 font-semibold underline">
        Retry now
      </button>
    </div>
  )
}
