import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useConnection } from '../api/backend.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Empty, Failed } from '../ui/states.tsx'
import { ServerUnreachable } from './lazy-view.ts'
import { paths } from './paths.ts'
import { rememberReturnAddress } from './return-address.ts'

export const NotFoundView = () => (
  <Empty icon="search" title="Page not found">
    <p>The address may be mistyped, or the page was removed.</p>
    <ButtonLink to={paths.inbox} icon="inbox">
      Go to the inbox
    </ButtonLink>
  </Empty>
)

/** After sign-out, no data stays on the page. */
export function SignedOutView() {
  useEffect(() => rememberReturnAddress(location.pathname), [])
  return (
    <Empty icon="key" title="You are signed out">
      <p>
        Your login ended, or this browser’s data for this page was cleared. Sign in again with a new link, which this
        command prints on the server: <code className="font-mono">signalbox login</code>
      </p>
      <form method="get" action="/login" className="flex w-full max-w-md flex-col gap-3 text-left">
        <TextField
          label="Or paste a login link"
          name="code"
          required
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
        <Button type="submit" tone="main">
          Sign in
        </Button>
      </form>
    </Empty>
  )
}

/** A missing chunk means that the server was updated while the page was open: a reload helps. */
export function CrashedView({ error }: { error: unknown }) {
  if (error instanceof ServerUnreachable) return <UnreachableView />
  const isOld = /dynamically imported module|module script|preload/i.test(String(error))
  return isOld ? (
    <Empty icon="refresh" title="Signalbox was updated">
      <p>This page is out of date. Reload to continue; nothing is lost.</p>
      <button type="button" className="font-semibold text-link underline" onClick={() => location.reload()}>
        Reload
      </button>
    </Empty>
  ) : (
    <Failed error={error} retry={() => location.reload()} />
  )
}

/** A view that was not loaded before the server went away. It opens as soon as the server is back. */
function UnreachableView() {
  const router = useRouter()
  const connection = useConnection()
  const before = useRef(connection)
  useEffect(() => {
    if (before.current !== 'live' && connection === 'live') void router.invalidate()
    before.current = connection
  }, [connection, router])
  return (
    <Empty icon="alert" title="Can’t reach the server">
      <p>This view was not loaded yet. It opens when the server is back.</p>
      <Button icon="refresh" onClick={() => void router.invalidate()}>
        Try again
      </Button>
    </Empty>
  )
}
