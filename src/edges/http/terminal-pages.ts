import type { App } from '../../app/app.ts'
import type { Detection, Terminals } from '../../app/terminals.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { SessionId as Id } from '../../domain/session/schema.ts'
import type { Terminal } from '../../domain/terminal/schema.ts'
import type { Result } from '../../lib/result.ts'
import type { Caller } from './auth.ts'
import { escapeHtml, page } from './html.ts'
import { footer, heading, signedOut, sorry } from './page-parts.ts'
import type { HttpContext } from './request.ts'
import type { Web } from './route.ts'
import { terminalBody } from './terminal-body.ts'
import { webFile, webResponse, type WebName } from './web-files.ts'

type Handle = (context: HttpContext) => Promise<Response>
export type TerminalPageDeps = {
  app: App
  terminals: Terminals
  version: string
  recognise(context: HttpContext): Promise<Result<Caller>>
  guardedPage(handle: Handle): Handle
}

/** Terminals for people: which there are, and each as it runs. */
export function mountTerminalPages(web: Web, deps: TerminalPageDeps): void {
  const { app, terminals, version, recognise, guardedPage } = deps

  const mountFile = (name: WebName) =>
    web.get(
      `/${name}`,
      guardedPage(async () => {
        const file = await webFile(name)
        return file ? webResponse(file) : notBuilt()
      }),
    )
  mountFile('terminal.js')
  mountFile('terminal.css')

  /** As the API judges it: its owner and their delegates type, others look. */
  const mayAct = async (id: SessionId, { actor }: Caller): Promise<boolean> => {
    const refused = await app.check({ type: 'session.steer', id, what: 'run', detail: null }, actor)
    return refused === null || refused === 'repeated' || refused.fault.kind === 'conflict'
  }

  web.get(
    '/terminals',
    guardedPage(async (context) => {
      const caller = await recognise(context)
      if (!caller.ok) return signedOut(version, 401)
      const found = await terminals.list(caller.value.actor, {})
      if (!found.ok) return sorry(found.fault.message, found.fault.hint, 503)
      return page('Terminals · Signalbox', listBody(found.value, version), { script: '/list.js', width: 'wide' })
    }),
  )

  web.get(
    '/terminals/:id',
    guardedPage(async (context) => {
      const caller = await recognise(context)
      if (!caller.ok) return signedOut(version, 401)
      const id = Id.safeParse(context.req.param('id'))
      const found = id.success ? await terminals.get(id.data, caller.value.actor) : null
      if (!id.success || !found?.ok) return noSuch()
      const [script, sheet] = await Promise.all([webFile('terminal.js'), webFile('terminal.css')])
      if (!script || !sheet) return notBuilt()
      const { terminal } = found.value
      return page(`${nameOf(terminal)} · Signalbox`, terminalBody(terminal, await mayAct(id.data, caller.value)), {
        script: `/terminal.js?v=${script.mark}`,
        sheet: `/terminal.css?v=${sheet.mark}`,
        width: 'full',
      })
    }),
  )
}

const noSuch = () =>
  sorry('There is no terminal here that you can see.', 'All that you can see are listed at /terminals.', 404)
const notBuilt = () => sorry('What browsers load was not built.', 'In the clone: npm run build', 503)

const mostListed = 200

function listBody(found: readonly { terminal: Terminal; detection: Detection | null }[], version: string): string {
  const rows = found.slice(0, mostListed).map(row)
  const list =
    rows.length === 0
      ? `<p>No terminals yet. Run any program in one:</p><pre><code>signalbox run -- npm init</code></pre>`
      : `<ul class="plain terminals">${rows.join('\n')}</ul>`
  const more =
    found.length > mostListed ? `<p class="soft">${found.length - mostListed} older ones are not listed.</p>` : ''
  return `<p class="path"><a href="/">Signalbox</a></p>${heading.replace('>Signalbox<', '>Terminals<')}
<div class="card" id="list">${list}${more}</div>${footer(version)}`
}

function row({ terminal, detection }: { terminal: Terminal; detection: Detection | null }): string {
  const asked = terminal.state === 'active' && detection?.waiting === true ? detection : null
  const danger = asked?.isDangerous ? '<span class="chip danger">dangerous</span>' : ''
  const prompt = asked
    ? `<span class="about asked">${escapeHtml(brief(asked.promptText))}</span>${
        asked.isDangerous ? `<span class="about bad">${escapeHtml(asked.dangerReason ?? '')}</span>` : ''
      }`
    : ''
  return `<li><a href="/terminals/${terminal.sessionId}">${escapeHtml(nameOf(terminal))}</a>
<span class="chips">${danger}${stateChip(terminal, asked !== null)}</span>${prompt}
<span class="about soft">${escapeHtml(placeOf(terminal))}</span></li>`
}

function stateChip({ state, exitCode, exitSignal }: Terminal, waits: boolean): string {
  if (waits) return '<span class="chip waits">waits</span>'
  if (state === 'active') return '<span class="chip runs">works</span>'
  const how = exitSignal ?? (exitCode === null ? 'over' : `ended with ${exitCode}`)
  return `<span class="chip">${escapeHtml(how)}</span>`
}

const brief = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)} …` : text)

const nameOf = ({ name, command, logFile }: Terminal): string => brief(name ?? command?.join(' ') ?? logFile)

const placeOf = ({ host, user, cwd, startTime }: Terminal): string =>
  [
    host === null ? null : `${user === null ? '' : `${user}@`}${host}`,
    cwd,
    `since ${startTime.slice(0, 16).replace('T', ' ')} UTC`,
  ]
    .filter((part) => part !== null)
    .join(' · ')
