import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { Passkey } from '../../../../src/domain/sign-in/schema.ts'
import { browserName } from '../../../../src/lib/browser-name.ts'
import { useClient } from '../../../api/backend.tsx'
import { canUsePasskeys, isCancelled, makePasskey } from '../../../api/passkeys.ts'
import { ApiError } from '../../../api/transport.ts'
import { useAction } from '../../../api/use-action.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Heading, Row, Rows } from '../../../ui/rows.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'

const stale = [['passkeys']] as const

/** Passkeys of this person: add, name, remove. */
export function Passkeys() {
  const client = useClient()
  const found = useQuery({ queryKey: ['passkeys'], queryFn: () => client.listPasskeys({}) })
  const [said, setSaid] = useState<string | null>(null)
  const add = useAction(
    async () => {
      const options = await client.beginPasskey({})
      const made = await makePasskey(options)
      if (made === null) throw new Error('The browser made a kind of passkey that Signalbox does not know.')
      return client.addPasskey({ body: { ...made, name: browserName(navigator.userAgent) } })
    },
    { failed: null, done: 'Passkey added', stale },
  )
  const start = () => {
    setSaid(null)
    add.mutate(undefined, { onError: (error) => setSaid(whyNot(error)) })
  }
  const passkeys = found.data?.passkeys
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Heading about="Sign in with your fingerprint, face or device PIN instead of a link.">Passkeys</Heading>
        {canUsePasskeys() && (
          <Button tone="main" icon="plus" disabled={add.isPending} onClick={start}>
            Add a passkey
          </Button>
        )}
      </div>
      {!canUsePasskeys() && (
        <p className="text-soft">This browser has no passkeys, or this page is not secure (HTTPS).</p>
      )}
      {said !== null && (
        <p role="alert" className="text-stop">
          {said}
        </p>
      )}
      {found.isPending && <Loading />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {passkeys?.length === 0 && <p className="text-soft">You have no passkey.</p>}
      {passkeys && passkeys.length > 0 && (
        <Rows label="Passkeys">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </Rows>
      )}
    </>
  )
}

function whyNot(error: unknown): string {
  if (error instanceof ApiError) return [error.message, error.hint].filter(Boolean).join(' ')
  if (isCancelled(error)) return 'No passkey was made.'
  const isKnown = error instanceof Error && error.name === 'InvalidStateError'
  return isKnown ? 'This device already has a passkey for you.' : String(error)
}

function PasskeyRow({ passkey: { id, name: given, origin, createdAt, lastUsedAt } }: { passkey: Passkey }) {
  const client = useClient()
  const name = safeText(given)
  const [naming, setNaming] = useState(false)
  const remove = useAction(() => client.removePasskey({ params: { id } }), {
    failed: 'The passkey was not removed',
    done: `“${name}” removed`,
    stale,
  })
  return (
    <Row
      title={name}
      about={
        <>
          for {safeText(new URL(origin).host)} · added <Time at={createdAt} /> ·{' '}
          {lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              used <Time at={lastUsedAt} />
            </>
          )}
        </>
      }
    >
      <Button onClick={() => setNaming(true)}>Rename</Button>
      <ConfirmButton
        label="Remove"
        title={`Remove “${name}”?`}
        sure="Remove"
        disabled={remove.isPending}
        run={() => remove.mutate(undefined)}
      >
        <p>Nobody can sign in with it any more. Browsers that are signed in stay so.</p>
      </ConfirmButton>
      {naming && <Naming id={id} name={given} close={() => setNaming(false)} />}
    </Row>
  )
}

function Naming({ id, name, close }: { id: Passkey['id']; name: string; close: () => void }) {
  const client = useClient()
  const [text, setText] = useState(name)
  const rename = useAction(() => client.renamePasskey({ params: { id }, body: { name: text.trim() } }), {
    failed: 'The passkey was not renamed',
    stale,
    whenDone: close,
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') rename.mutate(undefined)
  }
  return (
    <Dialog open close={close} title="Rename the passkey">
      <form onSubmit={send} className="flex flex-col gap-4">
        <TextField label="Name" value={text} maxLength={100} onChange={({ target }) => setText(target.value)} />
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" tone="main" disabled={text.trim() === '' || rename.isPending}>
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
