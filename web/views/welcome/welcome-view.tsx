import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { SessionId } from '../../../src/domain/session/id.ts'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { StartError } from '../sessions/start-error.tsx'
import { Tour } from './tour-steps.tsx'

/** First start: guides to a first approved change with the practice agent. */
export function WelcomeView() {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const session = typeof search['session'] === 'string' ? search['session'] : null
  return (
    <>
      <PageHead title="Welcome" about="A short tour with the practice agent" />
      <PageBody>{session === null ? <Begin /> : <Tour key={session} id={session as SessionId} />}</PageBody>
    </>
  )
}

function Begin() {
  const client = useClient()
  const navigate = useNavigate()
  const start = useMutation({
    mutationFn: () => client.startPractice({ body: {} }),
    onSuccess: ({ id }) => void navigate({ to: paths.welcome, search: { session: id }, replace: true }),
  })
  return (
    <div className="flex flex-col gap-5">
      <Card className="flex flex-col gap-4 p-5 md:p-7">
        <h2 className="text-xl font-semibold">See how it works, in two minutes</h2>
        <p className="max-w-prose text-soft">
          Agents work on their own and ask before they do something that matters. Their asks arrive in your inbox, where
          you approve or reject them. Try it once with the practice agent. It needs no model and no account, and works
          in its own small repo.
        </p>
        <ol className="flex flex-col gap-2">
          {[
            'It reads a file.',
            'It asks to write a file. Check the diff and approve it.',
            'The file is written, and you can undo that.',
          ].map((words, index) => (
            <li key={words} className="flex items-start gap-3">
              <span className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent">
                {index + 1}
              </span>
              {words}
            </li>
          ))}
        </ol>
        {start.isError && <StartError error={start.error} />}
        <div className="flex flex-wrap gap-2">
          {/* The main action; Enter triggers it. */}
          <Button tone="main" icon="play" autoFocus disabled={start.isPending} onClick={() => start.mutate()}>
            {start.isPending ? 'Starting the practice agent…' : 'Start the practice agent'}
          </Button>
          <ButtonLink tone="quiet" to={paths.newSession}>
            Skip and start a real agent
          </ButtonLink>
        </div>
      </Card>
    </div>
  )
}
