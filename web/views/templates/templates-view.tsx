import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { readTemplateFile, writeTemplateFile } from '../../../src/domain/template/about.ts'
import type { Template } from '../../../src/domain/template/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { saveText } from '../../api/download.ts'
import { reposQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { SettingsPage } from '../settings/settings-page.tsx'
import { templatesQuery } from './queries.ts'
import { TemplateDialog } from './template-dialog.tsx'
import { sourceText } from './template-picker.tsx'

const mostBytes = 1_000_000

export function TemplatesView() {
  const client = useClient()
  const [edited, setEdited] = useState<Template | 'new' | null>(null)
  const stored = useQuery(templatesQuery(client, {}))
  return (
    <SettingsPage title="Templates">
      <Heading about="Prompts that you keep, with fields to fill in. Type / in a message, or press Templates.">
        Yours and your agent groups’
      </Heading>
      <div className="flex flex-wrap gap-2">
        <Button tone="main" icon="plus" onClick={() => setEdited('new')}>
          New template
        </Button>
        <ImportButton />
      </div>
      {stored.isPending && <Loading />}
      {stored.isError && <Failed error={stored.error} retry={() => void stored.refetch()} />}
      {stored.data?.templates.length === 0 && (
        <Empty icon="list" title="No templates yet">
          <p>For example: “Fix issue {'{number}'}. Add a test that fails without the fix.”</p>
        </Empty>
      )}
      {stored.data && stored.data.templates.length > 0 && (
        <Rows label="Templates">
          {stored.data.templates.map((template) => (
            <TemplateRow key={template.id} template={template} edit={() => setEdited(template)} />
          ))}
        </Rows>
      )}
      <OfRepo />
      {edited !== null && <TemplateDialog template={edited === 'new' ? null : edited} close={() => setEdited(null)} />}
    </SettingsPage>
  )
}

function TemplateRow({ template, edit }: { template: Template; edit?: () => void }) {
  const client = useClient()
  const { id, name, description, text, fields, mayChange } = template
  const remove = useAction(
    async () => {
      if (id !== null) await client.removeTemplate({ params: { id } })
    },
    { failed: 'Not removed', done: `${name} was removed`, stale: [['templates']] },
  )
  const about = [sourceText(template), ...(fields.length === 0 ? [] : [fieldNames(fields)])]
  return (
    <Row
      title={<code className="font-mono text-sm">{name}</code>}
      about={
        <>
          <span className="block text-text">{clip(safeText(description || text.replaceAll(/\s+/g, ' ')), 200)}</span>
          {about.join(' · ')}
        </>
      }
    >
      <IconButton
        icon="copy"
        label={`Export ${name}`}
        onClick={() => saveText(`${name}.md`, writeTemplateFile(template))}
      />
      {mayChange && edit && <Button onClick={edit}>Edit</Button>}
      {mayChange && (
        <ConfirmButton label="Remove" title={`Remove ${name}?`} sure="Remove" run={() => remove.mutate(undefined)}>
          Prompts that were sent stay as they are.
        </ConfirmButton>
      )}
    </Row>
  )
}

const fieldNames = (fields: Template['fields']): string =>
  `${fields.length === 1 ? 'Field' : 'Fields'}: ${fields.map(({ name }) => name).join(', ')}`

/** Adds the templates in files. */
function ImportButton() {
  const client = useClient()
  const field = useRef<HTMLInputElement>(null)
  const load = useAction(
    async (files: readonly File[]) => {
      for (const file of files) {
        if (file.size > mostBytes) throw new Error(`${file.name} is too large for a template.`)
        const read = readTemplateFile(await file.text())
        if (!read.ok) throw new Error(`${file.name}: ${read.fault.message}`)
        const { name, description, text } = read.value
        const body = { name: name ?? file.name.replace(/\.(md|markdown|txt)$/i, ''), description, text }
        await client.addTemplate({ body })
      }
      return files.length
    },
    {
      failed: 'Not imported',
      done: (_files, count) => `${count} ${count === 1 ? 'template' : 'templates'} imported`,
      stale: [['templates']],
    },
  )
  return (
    <>
      <input
        ref={field}
        type="file"
        accept=".md,.markdown,.txt"
        multiple
        hidden
        aria-label="Files to import"
        onChange={({ currentTarget }) => {
          load.mutate([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <Button onClick={() => field.current?.click()}>Import</Button>
    </>
  )
}

/** Those that a repo keeps in its files. */
function OfRepo() {
  const client = useClient()
  const { data: repos } = useQuery(reposQuery(client))
  const [chosen, setChosen] = useState('')
  const repo = repos?.find(({ id }) => id === chosen)
  const found = useQuery({ ...templatesQuery(client, repo ? { repoId: repo.id } : {}), enabled: repo !== undefined })
  if (!repos || repos.length === 0) return null
  const files = repo ? (found.data?.templates ?? []).filter(({ source }) => source === 'workspace') : []
  return (
    <>
      <Heading about="Files in .signalbox/prompts of a repo are offered in its sessions. Change them in the repo.">
        Of a repo
      </Heading>
      <SelectField label="Repo" value={chosen} onChange={({ target }) => setChosen(target.value)}>
        <option value="">Choose a repo</option>
        {repos.map(({ id, name }) => (
          <option key={id} value={id}>
            {safeText(name)}
          </option>
        ))}
      </SelectField>
      {repo && found.isError && <Failed error={found.error} />}
      {repo && found.data && files.length === 0 && <p className="text-soft">This repo has no templates.</p>}
      {files.length > 0 && (
        <Rows label="Templates of the repo">
          {files.map((template) => (
            <TemplateRow key={template.path} template={template} />
          ))}
        </Rows>
      )}
      {repo &&
        found.data?.problems.map(({ path, why }) => (
          <p key={path} className="text-sm break-words text-soft">
            {safeText(path)}: {safeText(why)}
          </p>
        ))}
    </>
  )
}
