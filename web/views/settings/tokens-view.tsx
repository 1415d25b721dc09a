import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { Token } from '../../../src/domain/user/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { titleOf } from '../sessions/session-labels.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { SettingsPage } from './settings-page.tsx'

const scopes = {
  full: 'Acts as you, in everything',
  read: 'Read-only',
  agent: 'For an agent: can ask, never answer',
} as const
const lives = { '': 'Never expires', '1': '1 day', '30': '30 days', '365': '1 year' } as const
type ScopeName = keyof typeof scopes

export function TokensView() {
  const client = useClient()
  const tokens = useQuery({ queryKey: ['tokens'], queryFn: async () => (await client.listTokens({})).tokens })
  const [making, setMaking] = useState(false)
  const sessions = useQuery({
    queryKey: ['sessions', 'titles'],
    queryFn: () => client.listSessions({ query: { view: 'full', limit: 100 } }),
    enabled: tokens.data?.some(({ sessionId }) => sessionId !== null) ?? false,
  })
  const titles = new Map<string, string>(
    sessions.data?.sessions.map((one) => [one.id, clip(titleOf(one, one.title), 80)]),
  )
  const live = tokens.data?.filter(({ revokedAt }) => revokedAt === null)
  return (
    <SettingsPage
      title="Tokens"
      actions={
        <Button tone="main" icon="plus" onClick={() => setMaking(true)}>
          New token
        </Button>
      }
    >
      {tokens.isPending && <Loading />}
      {tokens.isError && <Failed error={tokens.error} retry={() => void tokens.refetch()} />}
      {live?.length === 0 && (
        <Empty icon="key" title="No tokens">
          <p>Programs, and agents on other machines, sign in with a token.</p>
        </Empty>
      )}
      {live && live.length > 0 && (
        <Rows label="Tokens">
          {live.map((token) => (
            <TokenRow key={token.id} token={token} session={titles.get(token.sessionId ?? '') ?? null} />
          ))}
        </Rows>
      )}
      <NewToken open={making} close={() => setMaking(false)} />
    </SettingsPage>
  )
}

function TokenRow({ token, session }: { token: Token; session: string | null }) {
  const client = useClient()
  // Tokens of hosted agents are named by the id of their session.
  const name = token.sessionId === null || session === null ? safeText(token.name) : `Agent of “${session}”`
  const revoke = useAction(() => client.revokeToken({ params: { id: token.id } }), {
    failed: 'The token was not revoked',
    done: `“${name}” revoked`,
    stale: [['tokens']],
  })
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 break-words">{name}</span>{' '}
          <Badge signal={token.scope === 'full' ? 'wait' : 'plain'}>{token.scope}</Badge>
        </span>
      }
      about={
        <>
          made <Time at={token.createdAt} /> ·{' '}
          {token.lastUsedAt ? (
            <>
              used <Time at={token.lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
          {token.expiresAt && (
            <>
              {' '}
              · expires <Time at={token.expiresAt} />
            </>
          )}
        </>
      }
    >
      <ConfirmButton label="Revoke" title={`Revoke “${name}”?`} sure="Revoke" run={() => revoke.mutate(undefined)}>
        Anything that signs in with it is refused immediately. You can’t undo this.
      </ConfirmButton>
    </Row>
  )
}

function NewToken({ open, close }: { open: boolean; close: () => void }) {
  const client = useClient()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<ScopeName>('full')
  const [days, setDays] = useState<keyof typeof lives>('')
  const [secret, setSecret] = useState<string | null>(null)
  const make = useAction(
    () => {
      const expiresAt = days === '' ? {} : { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }
      return client.createToken({ body: { name, scope, ...expiresAt } })
    },
    { failed: 'No token was created', stale: [['tokens']] },
  )
  const leave = () => {
    setSecret(null)
    setName('')
    close()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate(undefined, { onSuccess: ({ token }) => setSecret(token) })
  }
  return (
    <Dialog open={open} close={leave} title={secret === null ? 'New token' : 'Copy it now'}>
      {secret === null ? (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <TextField label="Purpose" required maxLength={200} value={name} onChange={(e) => setName(e.target.value)} />
          <SelectField label="Permissions" value={scope} onChange={(e) => setScope(e.target.value as ScopeName)}>
            {Object.entries(scopes).map(([key, words]) => (
              <option key={key} value={key}>
                {words}
              </option>
            ))}
          </SelectField>
          <SelectField label="Expires" value={days} onChange={(e) => setDays(e.target.value as keyof typeof lives)}>
            {Object.entries(lives).map(([key, words]) => (
              <option key={key} value={key}>
                {words}
              </option>
            ))}
          </SelectField>
          <DialogActions>
            <Button onClick={leave}>Cancel</Button>
            <Button tone="main" type="submit" disabled={make.isPending || name.trim() === ''}>
              Create
            </Button>
          </DialogActions>
        </form>
      ) : (
        <>
          <p className="text-soft">Copy it now. It is not stored and won’t be shown again.</p>
          <CopyText text={secret} label="Copy the token" />
          <DialogActions>
            <Button tone="main" onClick={leave}>
              Done
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}
