import { useEffect, type ReactNode } from 'react'
import { openPalette } from '../app/palette/palette-switch.ts'
import { ButtonLink, IconButton } from './button.tsx'
import { safeText } from './safe-text.ts'

/** The header of a view: title, actions, and a back link on phones. */
export function PageHead({
  title: given,
  back,
  about,
  children,
}: {
  title: string
  back?: string
  about?: ReactNode
  children?: ReactNode
}) {
  const title = safeText(given)
  useEffect(() => {
    document.title = `${title} · Signalbox`
  }, [title])
  return (
    <header className="sticky top-0 z-20 flex min-h-14 items-center gap-x-3 gap-y-1 border-b border-line bg-ground/95 px-4 py-2 backdrop-blur md:px-6">
      {back && <ButtonLink tone="quiet" icon="back" to={back} aria-label="Back" className="-ml-2 w-9 px-0" />}
      <div className="min-w-0 flex-1">
        <h1 className="truncate text-lg font-semibold">{title}</h1>
        {about && <div className="truncate text-sm text-soft">{about}</div>}
      </div>
      <div className="flex shrink-0 items-center gap-2">
        {children}
        <IconButton icon="jump" label="Go to or do" onClick={openPalette} className="-mr-2 md:hidden" />
      </div>
    </header>
  )
}

export const PageBody = ({ children, wide = false }: { children: ReactNode; wide?: boolean }) => (
  <div className={`mx-auto w-full p-4 md:p-6 ${wide ? 'max-w-7xl' : 'max-w-3xl'}`}>{children}</div>
)
