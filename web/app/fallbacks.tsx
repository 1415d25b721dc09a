import { ButtonLink } from '../ui/button.tsx'
import { Empty, Failed } from '../ui/states.tsx'
import { paths } from './paths.ts'

export const NotFoundView = () => (
  <Empty icon="search" title="There is nothing at this address">
    <p>It may have been mistyped, or what was here is gone.</p>
    <ButtonLink to={paths.inbox} icon="inbox">
      To the inbox
    </ButtonLink>
  </Empty>
)

/** Nothing that was read stays on the page of somebody who left. */
export const SignedOutView = () => (
  <Empty icon="key" title="You are signed out">
    <p>
      Ask for a new link where Signalbox runs: <code className="font-mono">signalbox login</code>
    </p>
    <button type="button" className="min-h-11 font-semibold text-link underline" onClick={() => location.assign('/')}>
      To the sign-in page
    </button>
  </Empty>
)

/** A part of a build that is gone (the server was updated while the page was open) is told apart: loading anew helps. */
export function CrashedView({ error }: { error: unknown }) {
  const isOld = /dynamically imported module|module script|preload/i.test(String(error))
  return isOld ? (
    <Empty icon="refresh" title="Signalbox was updated">
      <p>This page is from before. Load it anew to go on; nothing is lost.</p>
      <button type="button" className="font-semibold text-link underline" onClick={() => location.reload()}>
        Load anew
      </button>
    </Empty>
  ) : (
    <Failed error={error} retry={() => location.reload()} />
  )
}
