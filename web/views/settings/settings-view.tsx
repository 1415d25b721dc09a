import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { readsPausedFor } from '../../api/keyed-fetch.ts'
import { forgetLoginKey } from '../../api/login-key.ts'
import { meQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { clearPersonalData } from '../../app/browser-storage.ts'
import { chooseTheme, chosenTheme, themes, type Theme } from '../../app/theme.ts'
import { unsubscribe } from '../../push/subscribe.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { sections, SettingsPage } from './settings-page.tsx'

const words: Readonly<Record<Theme, string>> = { system: 'System theme', light: 'Light', dark: 'Dark' }

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <fieldset className="flex gap-1 rounded-lg bg-sunken p-1">
      <legend className="sr-only">Colours</legend>
      {themes.map((one) => (
        <label
          key={one}
          className={`flex min-h-9 cursor-pointer items-center rounded-md px-3 text-sm focus-within:outline-2 focus-within:outline-focus ${one === theme ? 'bg-panel font-medium shadow-raised' : 'text-soft'}`}
        >
          <input
            type="radio"
            name="theme"
            className="sr-only"
            checked={one === theme}
            onChange={() => {
              chooseTheme(one)
              setTheme(one)
            }}
          />
          {words[one]}
        </label>
      ))}
    </fieldset>
  )
}

export function SettingsView() {
  const client = useClient()
  const { data: me } = useQuery(meQuery(client))
  const leave = async () => {
    // Best effort: the server forgets the device with its login anyway.
    await unsubscribe(client).catch(() => undefined)
    await readsPausedFor(async () => {
      await client.logout({})
      await forgetLoginKey()
    })
  }
  const logout = useAction(leave, { failed: 'You are still signed in' })
  const gone = () => {
    clearPersonalData()
    location.assign('/')
  }
  const out = () => logout.mutate(undefined, { onSuccess: gone })
  return (
    <SettingsPage title="Settings">
      <Rows label="You and this browser">
        <Row title={me ? safeText(me.user.displayName) : '…'} about={me ? rolesOf(me.user.roles) : null}>
          <Button onClick={out}>Sign out</Button>
        </Row>
        <Row title="Colours" about="Kept in this browser.">
          <ThemeChoice />
        </Row>
        <Row title="Use your phone" about="Scan a code with its camera to sign in there.">
          <PairPhone />
        </Row>
      </Rows>
      <Heading>All settings</Heading>
      <ul className="grid gap-3 sm:grid-cols-2">
        {sections.map(({ to, label, about, icon }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex h-full items-start gap-3 rounded-xl border border-line bg-panel p-4 shadow-raised hover:border-line-strong"
            >
              <span className="rounded-lg bg-sunken p-2 text-soft">
                <Icon name={icon} />
              </span>
              <span className="min-w-0">
                <span className="block font-medium">{label}</span>
                <span className="block text-sm text-soft">{about}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <p className="text-sm text-soft">
        For programs:{' '}
        <a href="/api/docs" className="text-link underline">
          the API
        </a>
      </p>
    </SettingsPage>
  )
}

const rolesOf = (roles: readonly { role: string; agentGroupId: string | null }[]): string =>
  roles.length === 0
    ? 'Member'
    : roles.map(({ role, agentGroupId }) => (agentGroupId === null ? role : `${role} of a group`)).join(', ')

const isLocal = (url: string) => /^https?:\/\/(127\.|localhost|\[::1\])/.test(url)

/** A one-time login link as a QR code. */
function PairPhone() {
  const client = useClient()
  const [link, setLink] = useState<string | null>(null)
  const make = useAction(() => client.createLoginLink({ body: {} }), { failed: 'No link was created' })
  const open = () => make.mutate(undefined, { onSuccess: ({ url }) => setLink(withHere(url)) })
  return (
    <>
      <Button icon="phone" onClick={open} disabled={make.isPending}>
        Pair a phone
      </Button>
      <Dialog open={link !== null} close={() => setLink(null)} title="Pair a phone">
        {link !== null && (
          <>
            {isLocal(link) && (
              <p role="alert" className="rounded-lg bg-wait-soft p-3 text-wait">
                This address works only on this machine. Make Signalbox reachable (a tunnel, or a proxy with TLS), set{' '}
                <code className="font-mono">public_url</code>, and pair again.
              </p>
            )}
            <p className="text-soft">Scan this with your phone’s camera. It works once, for ten minutes.</p>
            <QrCode text={link} label="The login link as a QR code" />
            <CopyText text={link} label="Copy the link" />
          </>
        )}
      </Dialog>
    </>
  )
}

/** The current address may be reachable when the configured one is not. */
function withHere(url: string): string {
  const { pathname, search } = new URL(url)
  return isLocal(url) ? `${location.origin}${pathname}${search}` : url
}
