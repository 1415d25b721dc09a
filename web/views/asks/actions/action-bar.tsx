import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { barAttribute } from '../../../ui/use-clear-of-bars.ts'
import { Kbd } from '../../../ui/kbd.tsx'

/** Side by side, across the whole width on a phone. */
export const ActionBar = ({ className, children }: { className: string; children: ReactNode }) => (
  <div role="group" aria-label="Answer" {...barAttribute} className={`flex flex-col gap-2 ${className}`}>
    {children}
  </div>
)

export const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap gap-2 *:flex-1 sm:justify-end sm:*:flex-none">{children}</div>
)

/** A button with the key that presses it. */
export const KeyButton = ({
  letter,
  keys,
  children,
  ...rest
}: { letter: string; keys: boolean } & ComponentProps<typeof Button>) => (
  <Button {...rest} {...(keys && { 'aria-keyshortcuts': letter })}>
    {children}
    {keys && <Kbd>{letter}</Kbd>}
  </Button>
)
