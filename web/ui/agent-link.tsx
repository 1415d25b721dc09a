import { isValidElement, type ReactNode } from 'react'
import { leavingFor } from '../app/paths.ts'
import { hostBeside } from './link-host.ts'
import { clip } from './safe-text.ts'

const outside = /^(https?|mailto):/i

const textOf = (node: ReactNode): string => {
  if (Array.isArray(node)) return node.map(textOf).join('')
  if (isValidElement<{ children?: ReactNode }>(node)) return textOf(node.props.children)
  return typeof node === 'string' || typeof node === 'number' ? String(node) : ''
}

/**
 * A link written by an agent. It opens our page that says where it leads. The host is shown beside it, because the link
 * text is the agent's.
 */
export function AgentLink({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  if (href === undefined || !outside.test(href) || !URL.canParse(href)) return <span>{children}</span>
  const host = hostBeside(href, textOf(children))
  return (
    <a
      href={leavingFor(href)}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={href}
      className="text-link underline underline-offset-2"
    >
      {children}
      {host !== null && <span className="text-soft break-all"> ({clip(host, 100)})</span>}
      <span aria-hidden="true"> ↗</span>
      <span className="sr-only"> (external: {href})</span>
    </a>
  )
}
