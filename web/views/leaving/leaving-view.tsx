import { useLocation } from '@tanstack/react-router'
import { leadsTo, paths } from '../../app/paths.ts'
import { ButtonLink, buttonLook } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { clip, exactText } from '../../ui/safe-text.ts'
import { Empty } from '../../ui/states.tsx'
import { destinationOf, type LinkDestination } from './destination.ts'

/** Longer addresses are cut. */
const longest = 4000

/** Shows where an agent's link leads before it is opened. The address is in the fragment, which is never sent. */
export function LeavingView() {
  const { hash } = useLocation()
  const to = destinationOf(leadsTo(hash), location.origin)
  return (
    <>
      <PageHead title="Leaving Signalbox" />
      <PageBody>{to ? <Leaving to={to} /> : <Nowhere />}</PageBody>
    </>
  )
}

const Nowhere = () => (
  <Empty icon="alert" title="This link can’t be opened">
    <p>Only http, https and mailto links are opened.</p>
    <ButtonLink to={paths.inbox} icon="inbox">
      Go to the inbox
    </ButtonLink>
  </Empty>
)

function Leaving({ to }: { to: LinkDestination }) {
  const { kind } = to
  const isLoud = kind === 'this_computer' || kind === 'login'
  return (
    <div className="flex flex-col gap-5">
      {isLoud ? <Warning to={to} /> : <p>{wordsOf(to)}</p>}
      {to.tricks.length > 0 && (
        <ul className="flex list-disc flex-col gap-1 pl-5 text-wait">
          {to.tricks.map((trick) => (
            <li key={trick}>{trickWords[trick]}</li>
          ))}
        </ul>
      )}
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-2 rounded-xl border border-line bg-panel p-4">
        <dt className="text-soft">Scheme</dt>
        <dd className="font-mono">{to.scheme}</dd>
        {to.host !== '' && (
          <>
            <dt className="text-soft">Host</dt>
            <dd className="font-mono font-semibold break-all">{to.host}</dd>
          </>
        )}
        <dt className="text-soft">Address</dt>
        <dd className="font-mono text-sm break-all">{clip(exactText(to.href), longest)}</dd>
      </dl>
      <div className="flex flex-wrap gap-3">
        {kind !== 'login' && (
          <a href={to.href} rel="noreferrer noopener" className={buttonLook(isLoud ? 'stop-plain' : 'main')}>
            {isLoud ? 'Open anyway' : 'Open'}
          </a>
        )}
        <ButtonLink to={paths.inbox} icon="inbox">
          Go to the inbox
        </ButtonLink>
      </div>
    </div>
  )
}

function Warning({ to }: { to: LinkDestination }) {
  const [title, about] =
    to.kind === 'login'
      ? [
          'This is a login link, and an agent wrote it.',
          'It would sign this browser in as the person who made the link, so it is not opened from here.',
        ]
      : [
          `This goes to a program on this computer (port ${to.port}), probably started by an agent. Do not sign in there.`,
          `It is not Signalbox, even if it looks like it: Signalbox is at ${location.origin}.`,
        ]
  return (
    <div role="alert" className="flex gap-4 rounded-xl border-2 border-stop bg-stop-soft p-4 md:p-5">
      <Icon name="alert" className="size-8 text-stop" />
      <div className="min-w-0">
        <p className="text-lg font-bold text-stop">{title}</p>
        <p className="mt-1 break-words">{about}</p>
      </div>
    </div>
  )
}

function wordsOf({ kind, host }: LinkDestination): string {
  switch (kind) {
    case 'mail':
      return 'An agent’s link opens your mail program, with this address.'
    case 'own':
      return 'An agent’s link leads to a page of Signalbox itself.'
    case 'near':
      return `An agent’s link leads to ${host}, in your own network or on this computer. An agent may have started what answers there.`
    default:
      return `An agent’s link leads to another site, ${host}.`
  }
}

const trickWords: Readonly<Record<LinkDestination['tricks'][number], string>> = {
  name_before_host: 'What comes before the @ is a user name, not the site.',
  other_alphabet: 'The host uses letters of other alphabets. They can look like a name you know.',
}
