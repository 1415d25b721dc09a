import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type SubmitEvent } from 'react'
import { useClient } from '../../api/backend.tsx'
import { reposQuery, usePermissions } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'
import { paths } from '../../app/paths.ts'
import { splitCommand } from '../../terminal/command-line.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Failed } from '../../ui/states.tsx'

type TerminalKind = 'script' | 'ssh' | 'file'
type StartRequest = Parameters<Client['startTerminal']>[0]['body']

const kinds: readonly [TerminalKind, string, string][] = [
  ['script', 'A program', 'Runs on this server and keeps running when you leave.'],
  ['ssh', 'Another machine', 'ssh in a terminal of this server, with its keys and its configuration.'],
  ['file', 'A log file', 'Follows a log file. Read-only.'],
]

const blank = {
  line: '',
  shell: false,
  cwd: '',
  name: '',
  host: '',
  user: '',
  logFile: '',
  fromStart: false,
  script: false,
}
type Form = typeof blank

export function NewTerminalView() {
  const client = useClient()
  const navigate = useNavigate()
  const { data: repos } = useQuery(reposQuery(client))
  const { machine } = usePermissions()
  const [chosen, setKind] = useState<TerminalKind>('script')
  const kind = machine ? chosen : 'file'
  const [form, setForm] = useState<Form>(blank)
  const start = useMutation({
    mutationFn: (body: StartRequest) => client.startTerminal({ body }),
    onSuccess: ({ sessionId }) => void navigate({ to: paths.terminal, params: { id: sessionId } }),
  })
  const set = (part: Partial<Form>) => setForm((before) => ({ ...before, ...part }))
  const body = bodyOf(kind, form)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (body && !start.isPending) start.mutate(body)
  }
  const text = (key: 'cwd' | 'name' | 'host' | 'user' | 'logFile') => ({
    value: form[key],
    onChange: ({ target }: { target: HTMLInputElement }) => set({ [key]: target.value }),
    autoComplete: 'off',
    spellCheck: false,
  })
  return (
    <>
      <PageHead title={machine ? 'New terminal' : 'Follow a log'} back={paths.terminals} />
      <PageBody>
        <form onSubmit={submit} className="flex flex-col gap-4">
          <fieldset className="grid gap-2 sm:grid-cols-3">
            <legend className="sr-only">Kind</legend>
            {(machine ? kinds : []).map(([name, label, about]) => (
              <label
                key={name}
                className="flex cursor-pointer gap-3 rounded-xl border border-line bg-panel p-3 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus"
              >
                <input
                  type="radio"
                  name="kind"
                  checked={kind === name}
                  onChange={() => setKind(name)}
                  className="mt-1 size-4 shrink-0 accent-accent outline-none"
                />
                <span>
                  <span className="block font-medium">{label}</span>
                  <span className="block text-sm text-soft">{about}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <Card className="flex flex-col gap-4 p-4">
            {kind === 'ssh' && (
              <div className="grid gap-4 sm:grid-cols-2">
                <TextField label="Host" placeholder="depot.example" {...text('host')} />
                <TextField label="User" placeholder="from your ssh configuration" {...text('user')} />
              </div>
            )}
            {kind !== 'file' && (
              <CommandField
                label={kind === 'ssh' ? 'Command there (optional)' : 'Command line'}
                line={form.line}
                shell={form.shell}
                offerShell={kind === 'script'}
                change={(line) => set({ line })}
                useShell={(shell) => set({ shell })}
              />
            )}
            {kind === 'script' && (
              <>
                <TextField
                  label="Directory"
                  placeholder="the server's home directory"
                  list="directories"
                  hint="An absolute path on the server."
                  {...text('cwd')}
                />
                <datalist id="directories">
                  {repos
                    ?.filter(({ removedAt }) => removedAt === null)
                    .map(({ id, path }) => (
                      <option key={id} value={path} />
                    ))}
                </datalist>
              </>
            )}
            {kind === 'file' && (
              <>
                <TextField
                  label="Log file"
                  placeholder="/var/log/install.log"
                  hint={
                    machine
                      ? 'An absolute path on the server.'
                      : 'An absolute path on the server, in a directory of terminal.watch_roots.'
                  }
                  {...text('logFile')}
                />
                <CheckField
                  label="From the start"
                  hint="Otherwise only new lines are read."
                  checked={form.fromStart}
                  onChange={({ target }) => set({ fromStart: target.checked })}
                />
                <CheckField
                  label="Written by script(1)"
                  hint="Removes the lines added by script."
                  checked={form.script}
                  onChange={({ target }) => set({ script: target.checked })}
                />
              </>
            )}
            <TextField label="Name (optional)" placeholder="nightly" {...text('name')} />
          </Card>
          {start.error && <Failed error={start.error} />}
          <div className="flex justify-end">
            <Button type="submit" tone="main" icon="play" disabled={body === null || start.isPending}>
              {kind === 'file' ? 'Follow' : 'Start'}
            </Button>
          </div>
        </form>
      </PageBody>
    </>
  )
}

/** The request; null while something is missing. */
function bodyOf(kind: TerminalKind, form: Form): StartRequest | null {
  const name = form.name.trim() === '' ? {} : { name: form.name.trim() }
  const size = { cols: 100, rows: 30 }
  const { words, error } = splitCommand(form.line)
  if (kind === 'file') {
    const logFile = form.logFile.trim()
    if (logFile === '') return null
    return {
      sessionType: form.script ? 'script' : 'file',
      logFile,
      typescript: form.script,
      ...(form.fromStart && { filePosition: 0 }),
      ...name,
    }
  }
  if (kind === 'ssh') {
    const [host, user] = [form.host.trim(), form.user.trim()]
    if (host === '' || error !== null) return null
    return {
      sessionType: 'ssh',
      host,
      ...(user !== '' && { user }),
      ...(words.length > 0 && { command: words }),
      ...name,
      ...size,
    }
  }
  if (form.line.trim() === '' || (error !== null && !form.shell)) return null
  const command = form.shell ? ['sh', '-c', form.line] : words
  return { sessionType: 'script', command, ...(form.cwd.trim() !== '' && { cwd: form.cwd.trim() }), ...name, ...size }
}

/** A command line, and the words it splits into. */
function CommandField({
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
