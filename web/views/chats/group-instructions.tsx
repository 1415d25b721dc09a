import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { GroupInstructions as Instructions } from '../../../src/client/contract/agent-groups.ts'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Heading } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Failed } from '../../ui/states.tsx'
import { groupInstructionsQuery } from './queries.ts'

/** What its agents are told, and what is in its folder. */
export function GroupInstructions({ group }: { group: AgentGroup }) {
  const found = useQuery(groupInstructionsQuery(useClient(), group.id))
  return (
    <>
      <Heading about="Its agents read this at the start, and can’t change it.">Instructions</Heading>
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Editor key={found.data.text} group={group} found={found.data} />}
    </>
  )
}

function Editor({ group, found }: { group: AgentGroup; found: Instructions }) {
  const client = useClient()
  const [text, setText] = useState(found.text)
  const save = useAction(() => client.setGroupInstructions({ params: { id: group.id }, body: { text } }), {
    failed: 'Not saved',
    done: 'Saved',
    stale: [['groups']],
  })
  const { folder, skills, memory } = found
  const facts = [
    ...(folder === null ? [] : [`Folder: ${folder}`]),
    `Skills: ${skills.length === 0 ? 'none' : skills.join(', ')}`,
    `Memory: ${memory.length === 0 ? 'empty' : memory.join(', ')}`,
  ]
  return (
    <Card className="flex flex-col gap-4 p-4">
      <TextArea label="Instructions" hideLabel rows={8} value={text} onChange={({ target }) => setText(target.value)} />
      <div className="flex flex-wrap items-end justify-between gap-3">
        <ul className="min-w-0 text-sm break-all text-soft">
          {facts.map((fact) => (
            <li key={fact}>{safeText(fact)}</li>
          ))}
        </ul>
        <Button tone="main" disabled={text === found.text || save.isPending} onClick={() => save.mutate(undefined)}>
          Save
        </Button>
      </div>
    </Card>
  )
}
