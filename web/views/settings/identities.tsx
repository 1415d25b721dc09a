import { useState, type FormEvent } from 'react'
import type { User } from '../../../src/domain/user/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'

const stale = [['people'], ['names'], ['me']] as const

/** A person's names elsewhere, and how to link more. */
export function Identities({ user, mayChange, isMe }: { user: User; mayChange: boolean; isMe: boolean }) {
  const client = useClient()
  const unlink = useAction((one: string) => client.unlinkIdentity({ params: { id: user.id, identity: one } }), {
    failed: 'Still linked',
    stale,
  })
  return (
    <>
      <Heading about="This person's names elsewhere: in chats, by mail, on this machine.">Identities</Heading>
      {user.identities.length > 0 && (
        <Rows label="Identities">
          {user.identities.map(({ identity: one, linkedAt }) => (
            <Row
              key={one}
              title={<code className="font-mono text-sm">{safeText(one)}</code>}
              about={
                <>
                  linked <Time at={linkedAt} />
                </>
              }
            >
              {(mayChange || isMe) && (
                <ConfirmButton label="Unlink" title={`Unlink ${one}?`} sure="Unlink" run={() => unlink.mutate(one)}>
                  Messages from there no longer count as {safeText(user.displayName)}’s.
                </ConfirmButton>
              )}
            </Row>
          ))}
        </Rows>
      )}
      {isMe && <LinkChat />}
      {mayChange && <LinkByName user={user} />}
    </>
  )
}

/** Two ways to link an account in a chat: a code from here typed there, or a code from there typed here. */
const LinkChat = () => (
  <Card className="flex flex-col gap-5 p-4">
    <Heading about="Then messages from there count as yours, and asks can reach you there.">
      Link your account in a chat
    </Heading>
    <CodeFromHere />
    <CodeFromChat />
  </Card>
)

function CodeFromHere() {
  const client = useClient()
  const [code, setCode] = useState<string | null>(null)
  const makeCode = useAction(() => client.createLinkCode({}), {
    failed: 'No code was created',
    whenDone: (made) => setCode(made.code),
  })
  return (
    <div className="flex flex-col items-start gap-2">
      <Button disabled={makeCode.isPending} onClick={() => makeCode.mutate(undefined)}>
        Create a link code
      </Button>
      {code !== null && (
        <>
          <p className="text-sm text-soft">
            Write this in a chat with Signalbox, from the account that you want to link. It works once, for ten minutes.
          </p>
          <CopyText text={`/signalbox link ${code}`} label="Copy the message" />
        </>
      )}
    </div>
  )
}

function CodeFromChat() {
  const client = useClient()
  const [code, setCode] = useState('')
  const [identity, setIdentity] = useState<string | null>(null)
  const look = useAction(() => client.showIdentityCode({ body: { code: code.trim() } }), {
    failed: 'This code can’t be used',
    whenDone: (found) => setIdentity(found.identity),
  })
  const claim = useAction(() => client.claimIdentity({ body: { code: code.trim() } }), {
    failed: 'Not linked',
    done: 'Linked',
    stale,
    whenDone: () => setCode(''),
  })
  const close = () => setIdentity(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    look.mutate(undefined)
  }
  return (
    <>
      <form onSubmit={submit} className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="Code from a chat"
            hint="To get one, write /signalbox link in the chat."
            autoComplete="off"
            value={code}
            onChange={({ target }) => setCode(target.value)}
          />
        </div>
        <Button type="submit" className="mt-6" disabled={code.trim() === '' || look.isPending}>
          Link
        </Button>
      </form>
      <Dialog open={identity !== null} close={close} title="Link this account to you?">
        <p>
          <code className="font-mono break-all">{safeText(identity ?? '')}</code>
        </p>
        <p className="text-soft">Link it only if it is yours. Anyone who uses it can then act as you.</p>
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button
            tone="main"
            onClick={() => {
              close()
              claim.mutate(undefined)
            }}
          >
            Link
          </Button>
        </DialogActions>
      </Dialog>
    </>
  )
}

function LinkByName({ user }: { user: User }) {
  const client = useClient()
  const [identity, setIdentity] = useState('')
  const link = useAction(() => client.linkIdentity({ params: { id: user.id }, body: { identity: identity.trim() } }), {
    failed: 'Not linked',
    stale,
    whenDone: () => setIdentity(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    link.mutate(undefined)
  }
  return (
    <form onSubmit={submit} className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <TextField
          label="Link another without a code"
          placeholder="email:ann@example.org"
          value={identity}
          onChange={(event) => setIdentity(event.target.value)}
        />
      </div>
      <Button type="submit" disabled={identity.trim() === '' || link.isPending}>
        Add
      </Button>
    </form>
  )
}
