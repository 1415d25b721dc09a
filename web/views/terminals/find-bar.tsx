import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { paths } from '../../app/paths.ts'
import type { Found } from '../../terminal/find.ts'
import type { ScreenPlayer } from '../../terminal/screen.ts'
import { ButtonLink, IconButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'

/** Searches what can be scrolled back to; each match is selected and scrolled to. */
export function FindBar({ screen, close }: { screen: () => ScreenPlayer | null; close: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const [found, setFound] = useState<Found | null>(null)
  useEffect(() => field.current?.focus(), [])
  const find = (text: string, step: -1 | 0 | 1) => {
    setWords(text)
    setFound(text === '' ? null : (screen()?.find(text, step) ?? null))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter') find(words, event.shiftKey ? 1 : -1)
    else return
    event.preventDefault()
  }
  return (
    <div
      role="search"
      aria-label="Find in this terminal"
      className="mt-3 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-panel p-2"
    >
      <div className="min-w-32 flex-1">
        <TextField
          ref={field}
          label="Find in this terminal"
          hideLabel
          type="search"
          placeholder="Find in this terminal"
          value={words}
          onChange={({ target }) => find(target.value, 0)}
          onKeyDown={onKeyDown}
        />
      </div>
      <span role="status" className="text-sm text-soft tabular-nums">
        {found === null ? '' : found.count === 0 ? 'Not found' : `${found.at} of ${found.count}`}
      </span>
      <IconButton icon="up" label="Previous match" disabled={!found?.count} onClick={() => find(words, -1)} />
      <IconButton icon="down" label="Next match" disabled={!found?.count} onClick={() => find(words, 1)} />
      <ButtonLink to={paths.search} search={{ ...(words !== '' && { q: words }), in: 'terminals' }} tone="quiet">
        Search all recordings
      </ButtonLink>
      <IconButton icon="cross" label="Close" onClick={close} />
    </div>
  )
}
