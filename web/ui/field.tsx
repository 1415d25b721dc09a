import { useId, type ComponentProps, type ReactNode } from 'react'

export const inputLook =
  'w-full rounded-lg border border-line-strong bg-panel px-3 py-2 text-base text-text min-h-11 pointer-fine:min-h-9 pointer-fine:text-[0.94rem]'

type Labelled = { label: string; hint?: ReactNode; error?: string | null; hideLabel?: boolean }

function Frame({ id, label, hint, error, hideLabel, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      )}
      {error && (
        <p role="alert" className="text-sm text-stop">
          {error}
        </p>
      )}
    </div>
  )
}

export function TextField({ label, hint, error, hideLabel, ...rest }: Labelled & ComponentProps<'input'>) {
  const id = useId()
  const frame = { id, label, hint, error: error ?? null, hideLabel: hideLabel ?? false }
  return (
    <Frame {...frame}>
      <input
        {...rest}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={`${inputLook} ${rest.className ?? ''}`}
      />
    </Frame>
  )
}

export function TextArea({ label, hint, error, hideLabel, ...rest }: Labelled & ComponentProps<'textarea'>) {
  const id = useId()
  const frame = { id, label, hint, error: error ?? null, hideLabel: hideLabel ?? false }
  return (
    <Frame {...frame}>
      <textarea
        {...rest}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={`${inputLook} field-sizing-content max-h-[50dvh] ${rest.className ?? ''}`}
      />
    </Frame>
  )
}

export function SelectField({ label, hint, error, hideLabel, children, ...rest }: Labelled & ComponentProps<'select'>) {
  const id = useId()
  const frame = { id, label, hint, error: error ?? null, hideLabel: hideLabel ?? false }
  return (
    <Frame {...frame}>
      <select {...rest} id={id} className={`${inputLook} ${rest.className ?? ''}`}>
        {children}
      </select>
    </Frame>
  )
}

export function CheckField({ label, hint, ...rest }: Labelled & Omit<ComponentProps<'input'>, 'type'>) {
  const id = useId()
  return (
    <div className="flex items-start gap-3 py-1">
      <input {...rest} id={id} type="checkbox" className="mt-1 size-5 shrink-0 accent-accent" />
      <label htmlFor={id} className="min-w-0">
        <span className="font-medium">{label}</span>
        {hint && <span className="block text-sm text-soft">{hint}</span>}
      </label>
    </div>
  )
}
