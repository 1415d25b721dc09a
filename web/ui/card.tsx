import type { ComponentProps } from 'react'

export const Card = ({ className = '', ...rest }: ComponentProps<'section'>) => (
  <section {...rest} className={`rounded-xl border border-line bg-panel shadow-raised ${className}`} />
)
