import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'main' | 'plain' | 'quiet' | 'stop' | 'stop-plain'

const tones: Readonly<Record<Tone, string>> = {
  main: 'bg-accent text-on-accent border-transparent hover:bg-accent-hover',
  plain: 'bg-panel text-text border-line-strong hover:bg-sunken',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-sunken hover:text-text',
  stop: 'bg-stop text-on-stop border-transparent hover:opacity-90',
  'stop-plain': 'bg-panel text-stop border-line-strong hover:bg-stop-soft',
}

// Tall enough for a thumb, compact with a mouse.
const shape =
  'inline-flex items-center justify-center gap-2 rounded-lg border px-3.5 font-medium select-none whitespace-nowrap ' +
  'min-h-11 pointer-fine:min-h-9 text-[0.94rem] transition-colors disabled:opacity-50 disabled:pointer-events-none'

/** For links that look like buttons. */
export const buttonLook = (tone: Tone, className = ''): string => `${shape} ${tones[tone]} ${className}`

type Extra = { tone?: Tone; icon?: IconName; className?: string; children?: ReactNode }

export const Button = ({
  tone = 'plain',
  icon,
  className = '',
  children,
  ...rest
}: Extra & Omit<ComponentProps<'button'>, 'className'>) => (
  <button type="button" {...rest} className={buttonLook(tone, className)}>
    {icon && <Icon name={icon} className="size-4.5" />}
    {children}
  </button>
)

/** An icon; the label is for screen readers, and shows on hover. */
export const IconButton = ({
  icon,
  label,
  tone = 'quiet',
  className = '',
  ...rest
}: { icon: IconName; label: string; tone?: Tone } & ComponentProps<'button'>) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    {...rest}
    className={buttonLook(tone, `px-0 w-11 pointer-fine:w-9 ${className}`)}
  >
    <Icon name={icon} />
  </button>
)

type LinkTarget = {
  to: string
  params?: Readonly<Record<string, string>>
  search?: Readonly<Record<string, unknown>>
  'aria-label'?: string
}

export const ButtonLink = ({
  tone = 'plain',
  icon,
  className = '',
  children,
  params,
  search,
  ...rest
}: Extra & LinkTarget) => (
  <Link {...rest} params={params} search={search} className={buttonLook(tone, className)}>
    {icon && <Icon name={icon} className="size-4.5" />}
    {children}
  </Link>
)
