import { splitCommand } from '../../terminal/command-line.ts'
import { CheckField, TextField } from '../../ui/field.tsx'

/** A command line, and the words it splits into. */
export function CommandField({
  label,
  line,
  shell,
  offerShell,
  change,
  useShell,
}: {
  label: string
  line: string
  shell: boolean
  offerShell: boolean
  change: (line: string) => void
  useShell: (shell: boolean) => void
}) {
  const { words, error, shell: needs } = splitCommand(line)
  const inShell = shell && offerShell
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={label}
        value={line}
        onChange={({ target }) => change(target.value)}
        placeholder="npm init"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="font-mono"
        error={inShell ? null : error}
      />
      <div className="flex min-h-8 flex-wrap items-center gap-1.5 text-sm text-soft" aria-live="polite">
        {line.trim() === '' ? (
          'The arguments appear here as the program gets them.'
        ) : (
          <>
            {(inShell ? ['sh', '-c', line] : words).map((word, index) => (
              <code
                key={index}
                className="max-w-full rounded border border-line bg-sunken px-1.5 py-0.5 font-mono break-all whitespace-pre-wrap text-text"
              >
                {word === '' ? '(empty)' : word}
              </code>
            ))}
          </>
        )}
      </div>
      {needs.length > 0 && !inShell && (
        <p role="status" className="rounded-lg bg-wait-soft px-3 py-2 text-sm text-wait">
          No shell interprets this: {needs.join(', ')} {needs.length > 1 ? 'are' : 'is'} passed on literally.{' '}
          {offerShell && ' Run it in a shell if that is not what you mean.'}
        </p>
      )}
      {offerShell && (needs.length > 0 || shell) && (
        <CheckField
          label="Run it in a shell"
          hint="As one argument after sh -c."
          checked={shell}
          onChange={({ target }) => useShell(target.checked)}
        />
      )}
    </div>
  )
}
