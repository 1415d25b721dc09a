import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Template } from '../../../src/domain/template/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { ButtonLink, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { FillFields } from './fill-fields.tsx'
import { templatesQuery, type TemplatePlace } from './queries.ts'

type Props = { place: TemplatePlace; pick: (text: string) => void }

/** Opens the list of templates; what is chosen and filled in goes into the message, to be read and sent. */
export function TemplateButton({ place, pick }: Props) {
  const [open, setOpen] = useState(false)
  const [chosen, setChosen] = useState<Template | null>(null)
  const close = () => {
    setOpen(false)
    setChosen(null)
  }
  const done = (text: string) => {
    close()
    pick(text)
  }
  const choose = (template: Template) => (template.fields.length === 0 ? done(template.text) : setChosen(template))
  return (
    <>
      <IconButton icon="list" label="Templates" onClick={() => setOpen(true)} />
      <Dialog open={open} close={close} title={chosen === null ? 'Templates' : chosen.name}>
        {chosen === null ? (
          <TemplateList place={place} choose={choose} />
        ) : (
          <FillFields template={chosen} done={done} cancel={() => setChosen(null)} />
        )}
      </Dialog>
    </>
  )
}

function TemplateList({ place, choose }: { place: TemplatePlace; choose: (template: Template) => void }) {
  const client = useClient()
  const [words, setWords] = useState('')
  const found = useQuery(templatesQuery(client, place))
  if (found.isPending) return <Loading />
  if (found.isError) return <Failed error={found.error} retry={() => void found.refetch()} />
  const { templates, problems } = found.data
  const shown = templates.filter((template) => matches(template, words))
  return (
    <>
      {templates.length === 0 ? (
        <Empty icon="list" title="No templates yet">
          <p>Prompts that you keep, with fields to fill in.</p>
        </Empty>
      ) : (
        <TextField
          label="Find a template"
          type="search"
          autoFocus
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || shown[0] === undefined) return
            event.preventDefault()
            choose(shown[0])
          }}
        />
      )}
      {shown.length > 0 && (
        <ul aria-label="Templates" className="-mx-2 max-h-[50dvh] overflow-y-auto">
          {shown.map((template) => (
            <li key={template.id ?? template.path}>
              <button
                type="button"
                onClick={() => choose(template)}
                className="flex min-h-11 w-full flex-col rounded-lg px-2 py-1.5 text-left hover:bg-sunken"
              >
                <TemplateLine template={template} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {problems.map(({ path, why }) => (
        <p key={path} className="text-sm break-words text-soft">
          {safeText(path)}: {safeText(why)}
        </p>
      ))}
      <ButtonLink to={paths.templates} tone="quiet" icon="settings">
        Edit templates
      </ButtonLink>
    </>
  )
}

const matches = ({ name, description }: Template, words: string): boolean =>
  `${name} ${description}`.toLowerCase().includes(words.trim().toLowerCase())

export const sourceText = ({ source, groupName, path }: Template): string =>
  source === 'own' ? 'Yours' : source === 'group' ? safeText(groupName ?? 'Agent group') : safeText(path ?? '')

export const TemplateLine = ({ template }: { template: Template }) => (
  <>
    <span className="flex flex-wrap items-baseline gap-x-2">
      <code className="font-mono text-sm font-semibold">{template.name}</code>
      <span className="text-sm break-all text-soft">{sourceText(template)}</span>
    </span>
    <span className="w-full truncate text-sm text-soft">
      {clip(safeText(template.description || template.text.replaceAll(/\s+/g, ' ')), 200)}
    </span>
  </>
)
