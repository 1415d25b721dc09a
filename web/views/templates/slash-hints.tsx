import { useQuery } from '@tanstack/react-query'
import { useState, type KeyboardEvent } from 'react'
import type { Template } from '../../../src/domain/template/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import type { OfferedCommand } from '../session/steer/agent-offers.ts'
import { FillFields } from './fill-fields.tsx'
import { templatesQuery, type TemplatePlace } from './queries.ts'

type Props = {
  commands: readonly OfferedCommand[]
  text: string
  place: TemplatePlace
  pick: (words: string) => void
  /** Leaves the list with the keyboard. */
  leave: () => void
}

const mostShown = 8

/** While a name is typed after a slash: the agent's own commands, then templates. */
export function SlashHints({ commands, text, place, pick, leave }: Props) {
  const client = useClient()
  const [chosen, setChosen] = useState<Template | null>(null)
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase()
  const { data } = useQuery({ ...templatesQuery(client, place), enabled: typed !== undefined, retry: false })
  const templates =
    typed === undefined ? [] : (data?.templates ?? []).filter(({ name }) => name.startsWith(typed)).slice(0, mostShown)
  const choose = (template: Template) => (template.fields.length === 0 ? pick(template.text) : setChosen(template))
  const close = () => {
    setChosen(null)
    leave()
  }
  return (
    <>
      {commands.length + templates.length > 0 && (
        <ul
          aria-label="Commands and templates"
          data-hints
          onKeyDown={(event) => moveIn(event, leave)}
          className="mb-2 max-h-60 overflow-y-auto rounded-lg border border-line bg-raised p-1"
        >
          {commands.map(({ name, about }) => (
            <Hint key={`command ${name}`} name={name} about={about} run={() => pick(`/${name} `)} />
          ))}
          {templates.map((template) => (
            <Hint
              key={template.id ?? template.path}
              name={template.name}
              about={template.description || template.text}
              isTemplate
              run={() => choose(template)}
            />
          ))}
        </ul>
      )}
      <Dialog open={chosen !== null} close={close} title={chosen?.name ?? ''}>
        {chosen !== null && (
          <FillFields
            template={chosen}
            cancel={close}
            done={(words) => {
              setChosen(null)
              pick(words)
            }}
          />
        )}
      </Dialog>
    </>
  )
}

type HintProps = { name: string; about: string; isTemplate?: true; run: () => void }

const Hint = ({ name, about, isTemplate, run }: HintProps) => (
  <li>
    <button
      type="button"
      onClick={run}
      className="flex min-h-11 w-full items-baseline gap-3 rounded-md px-2 py-1.5 text-left hover:bg-sunken pointer-fine:min-h-8"
    >
      <code className="font-mono text-sm font-semibold">/{safeText(name)}</code>
      <span className="min-w-0 flex-1 truncate text-sm text-soft">{clip(safeText(about), 200)}</span>
      {isTemplate && <Badge>Template</Badge>}
    </button>
  </li>
)

/** Up from the field leads to the nearest hint. */
export function focusHints(event: KeyboardEvent<HTMLElement>, text: string): void {
  if (event.key !== 'ArrowUp' || !/^\/\S*$/.test(text)) return
  const hints = document.querySelectorAll<HTMLButtonElement>('[data-hints] button')
  const last = hints.item(hints.length - 1)
  if (!last) return
  event.preventDefault()
  last.focus()
}

function moveIn(event: KeyboardEvent<HTMLElement>, leave: () => void): void {
  const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
  if (step === 0 && event.key !== 'Escape') return
  event.preventDefault()
  const hints = [...event.currentTarget.querySelectorAll('button')]
  const next = step === 0 ? undefined : hints[hints.findIndex((one) => one === document.activeElement) + step]
  if (next) next.focus()
  else if (step !== -1) leave()
}
