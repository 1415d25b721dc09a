import { useState, type FormEvent, type ReactNode } from 'react'
import { intervalText } from '../../../src/client/schedule-text.ts'
import type { Schedule } from '../../../src/domain/schedule/schema.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { ChoiceField } from '../chats/choice-field.tsx'
import { missedWords, overlapWords, ownZone } from './words.ts'

/** An agent may have made it: what is shown to be changed is what is saved, without characters that turn the text around. */
const readable = (text: string): string => text.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')

export type ScheduleFields = Pick<Schedule, 'name' | 'prompt' | 'precheck' | 'missed' | 'overlap' | 'jitterSeconds'> &
  Partial<Record<'cron' | 'every' | 'at' | 'timeZone', string>>

type Kind = Schedule['timing']['kind']

const kinds: Readonly<Record<Kind, { label: string; about: string }>> = {
  cron: { label: 'On certain days and hours', about: 'A cron line: minute hour day month weekday.' },
  every: { label: 'At an interval', about: 'Counted from now.' },
  at: { label: 'Once', about: 'At one time.' },
}

/** Whole minutes, as a field for dates has them. */
const inField = (at: string): string => {
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function useTiming(schedule: Schedule | undefined) {
  const timing = schedule?.timing
  const [kind, setKind] = useState<Kind>(timing?.kind ?? 'cron')
  const [cron, setCron] = useState(timing?.kind === 'cron' ? timing.cron : '0 9 * * 1-5')
  const [timeZone, setTimeZone] = useState(timing?.kind === 'cron' ? timing.timeZone : ownZone())
  const [every, setEvery] = useState(timing?.kind === 'every' ? intervalText(timing.seconds) : '1h')
  const [at, setAt] = useState(timing?.kind === 'at' ? inField(timing.at) : '')
  const given = kind === 'cron' ? { cron, timeZone } : kind === 'every' ? { every } : { at, timeZone: ownZone() }
  const first = timing && (timing.kind === 'cron' ? `${timing.cron} ${timing.timeZone}` : null)
  // The grid of an interval moves if it is set again.
  const isSame =
    timing?.kind === kind &&
    (timing.kind === 'cron'
      ? first === `${cron} ${timeZone}`
      : timing.kind === 'every'
        ? every === intervalText(timing.seconds)
        : at === inField(timing.at))
  const fields = { kind, setKind, cron, setCron, timeZone, setTimeZone, every, setEvery, at, setAt }
  return { ...fields, value: isSame ? {} : given, isComplete: kind !== 'at' || at !== '' }
}

/** Prompt, time and policies. `children` are fields that only a new one has. */
export function ScheduleForm({
  schedule,
  save,
  label,
  isSaving,
  error,
  children,
}: {
  schedule?: Schedule
  save: (fields: ScheduleFields) => void
  label: string
  isSaving: boolean
  error: string | null
  children?: ReactNode
}) {
  const [prompt, setPrompt] = useState(readable(schedule?.prompt ?? ''))
  const [name, setName] = useState(readable(schedule?.name ?? ''))
  const [precheck, setPrecheck] = useState(readable(schedule?.precheck ?? ''))
  const [missed, setMissed] = useState<Schedule['missed']>(schedule?.missed ?? 'skip')
  const [overlap, setOverlap] = useState<Schedule['overlap']>(schedule?.overlap ?? 'skip')
  const [jitter, setJitter] = useState(String(schedule?.jitterSeconds ?? 0))
  const timing = useTiming(schedule)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({
      name: name.trim() || (prompt.trim().split('\n')[0] ?? '').slice(0, 60),
      prompt,
      precheck: precheck.trim() || null,
      missed,
      overlap,
      jitterSeconds: Number(jitter) || 0,
      ...timing.value,
    })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextArea
        label="What should it do?"
        required
        className="min-h-24!"
        placeholder="Summarise the new issues of the last day …"
        hint="A fresh session knows nothing else, so include everything it needs."
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
      />
      <TextField
        label="Name (optional)"
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TimingFields timing={timing} />
      {children}
      <details className="rounded-xl border border-line bg-panel p-4">
        <summary className="cursor-pointer font-medium">More options</summary>
        <div className="mt-4 flex flex-col gap-4">
          <ChoiceField label="Missed runs" words={missedWords} value={missed} choose={setMissed} />
          <ChoiceField label="If the last run has not ended" words={overlapWords} value={overlap} choose={setOverlap} />
          <TextField
            label="Jitter in seconds"
            type="number"
            min={0}
            max={3600}
            hint="Spreads the start of many schedules that are due at once."
            value={jitter}
            onChange={({ target }) => setJitter(target.value)}
          />
          <TextArea
            label="Precheck (optional)"
            className="font-mono"
            placeholder="test -s inbox.txt"
            hint="A shell script in the workspace. An exit code other than 0 skips the run."
            value={precheck}
            onChange={({ target }) => setPrecheck(target.value)}
          />
        </div>
      </details>
      {error !== null && (
        <p role="alert" className="text-sm text-stop">
          {error}
        </p>
      )}
      <div>
        <Button tone="main" type="submit" disabled={prompt.trim() === '' || !timing.isComplete || isSaving}>
          {label}
        </Button>
      </div>
    </form>
  )
}

function TimingFields({ timing }: { timing: ReturnType<typeof useTiming> }) {
  const { kind, setKind, cron, setCron, timeZone, setTimeZone, every, setEvery, at, setAt } = timing
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChoiceField label="When" words={kinds} value={kind} choose={setKind} />
      {kind === 'cron' && (
        <TextField
          label="Cron line"
          required
          className="font-mono"
          hint="0 9 * * 1-5 is 9:00 on weekdays."
          value={cron}
          onChange={({ target }) => setCron(target.value)}
        />
      )}
      {kind === 'cron' && (
        <TextField
          label="Time zone"
          required
          hint={`Yours is ${ownZone()}.`}
          value={timeZone}
          onChange={({ target }) => setTimeZone(target.value)}
        />
      )}
      {kind === 'every' && (
        <TextField
          label="Every"
          required
          pattern="[0-9]+[smhdw]"
          hint="15m, 2h, 1d or 1w; at least 1 minute."
          value={every}
          onChange={({ target }) => setEvery(target.value)}
        />
      )}
      {kind === 'at' && (
        <TextField
          label="At"
          required
          type="datetime-local"
          hint={`In ${ownZone()}.`}
          value={at}
          onChange={({ target }) => setAt(target.value)}
        />
      )}
    </div>
  )
}
