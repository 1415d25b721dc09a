import type { Page } from 'playwright-core'
import { leavingFor, paths, type ViewName } from '../../web/app/paths.ts'
import { makeChats } from './dashboard-chats.ts'
import type { Dashboard } from './dashboard.ts'
import { until } from './until.ts'

export type Visit = {
  path: string
  /** Tab title, without the product name. */
  title: string
  /** Text that only real data produces. */
  shows: RegExp
}
export type Visits = AsyncDisposable & {
  readonly of: Readonly<Record<ViewName, Visit>>
  /** More states of views that can look quite different. */
  readonly also: Readonly<Record<string, Visit>>
}
type Id = { id: string }

/** A server that detects silence soon and may push to this machine. */
export const eventful = {
  config: '[push]\nallow_private_endpoints = true\n[terminal]\nask = "off"\n',
  env: {
    SIGNALBOX_STALL__ENABLED: 'true',
    SIGNALBOX_STALL__INACTIVITY_THRESHOLD_SECONDS: '1',
    SIGNALBOX_STALL__ESCALATION_THRESHOLD_SECONDS: '3600',
  },
}

/** Sample data for each address. A new view is added here with what it shows. */
export async function makeVisits(dashboard: Dashboard): Promise<Visits> {
  const { owner, repo } = dashboard
  const worked = await workedSession(dashboard)
  const waiting = await dashboard.start('/write waiting.txt Not yet')
  const ask = await dashboard.asks(waiting.id)
  const alert = await alertOf(dashboard)
  const terminal = await askingTerminal(dashboard)
  const practice = await owner.post<Id>('/api/practice')
  await dashboard.asks(practice.id)
  const person = await owner.post<Id>('/api/users', {
    displayName: 'Ann Porter',
    identities: ['email:ann@example.org'],
  })
  await owner.post('/api/tokens', { name: 'Nightly builds' })
  await owner.post('/api/push/devices', {
    endpoint: 'http://127.0.0.1:9/visits',
    keys: deviceKeys,
    name: 'Phone of the yard',
  })
  const settings = JSON.stringify({ enabled: true, commands: ['git status'] }, null, 2)
  await owner.send('PUT', '/api/policy', { body: { workspaceRoot: repo.path, settings, expected: null } })
  const chats = await makeChats(dashboard)
  await owner.post('/api/templates', { name: 'paint', text: 'Paint the {what}.' })
  const schedule = await owner.post<Id>('/api/schedules', {
    name: 'Morning round',
    prompt: 'Look at the signals',
    cron: '30 6 * * 1-5',
    timeZone: 'Europe/Berlin',
    repoId: repo.id,
    agent: 'no-such-agent',
  })
  await owner.post(`/api/schedules/${schedule.id}/run`)
  const at = (name: ViewName, id: string) => paths[name].replace('$id', id)
  return {
    of: {
      // On a wide screen the first item is open and sets the tab title.
      inbox: { path: paths.inbox, title: '', shows: /Write waiting\.txt/ },
      ask: { path: at('ask', ask.id), title: 'Write waiting.txt', shows: /Not yet/ },
      alert: { path: at('alert', alert.id), title: 'No activity for', shows: /\/stall forever/ },
      history: { path: paths.history, title: 'History', shows: /Write done\.txt[^]*Undo/ },
      sessions: { path: paths.sessions, title: 'Sessions', shows: /waiting\.txt/ },
      newSession: { path: paths.newSession, title: 'New session', shows: /practice/i },
      session: { path: at('session', worked.id), title: worked.title, shows: /write done\.txt/ },
      sessionFiles: { path: at('sessionFiles', worked.id), title: worked.title, shows: /done\.txt/ },
      sessionChanges: { path: at('sessionChanges', worked.id), title: worked.title, shows: /done\.txt/ },
      sessionCheckpoints: { path: at('sessionCheckpoints', worked.id), title: worked.title, shows: /Before the tests/ },
      sessionAudit: {
        path: at('sessionAudit', worked.id),
        title: worked.title,
        shows: /done\.txt|answered|approved|allowed/i,
      },
      sessionAbout: { path: at('sessionAbout', worked.id), title: worked.title, shows: new RegExp(worked.id) },
      terminals: { path: paths.terminals, title: 'Terminals', shows: /Install the package\?/ },
      newTerminal: { path: paths.newTerminal, title: 'New terminal', shows: /command/i },
      terminal: { path: at('terminal', terminal), title: 'installer', shows: /Install the package\?/ },
      schedules: { path: paths.schedules, title: 'Schedules', shows: /Morning round/ },
      newSchedule: { path: paths.newSchedule, title: 'New schedule', shows: /Cron line/ },
      schedule: { path: at('schedule', schedule.id), title: 'Morning round', shows: /Next runs/ },
      webChats: { path: paths.webChats, title: 'Chat', shows: /Dispatcher/ },
      webChat: { path: at('webChat', chats.group), title: 'Dispatcher', shows: /said in the web chat/ },
      search: { path: `${paths.search}?q=done`, title: 'Search', shows: /done\.txt/ },
      catchUp: { path: `${paths.catchUp}?since=hour`, title: 'Catch up', shows: /done\.txt|waiting\.txt/ },
      overview: { path: paths.overview, title: 'Overview', shows: /practice|20\d\d-\d\d-\d\d/ },
      welcome: { path: `${paths.welcome}?session=${practice.id}`, title: 'Welcome', shows: /your turn/ },
      settings: { path: paths.settings, title: 'Settings', shows: /Sign out/ },
      chats: { path: paths.chats, title: 'Chats', shows: /yard-works[^]*Dispatcher/ },
      chat: { path: at('chat', chats.chat), title: 'yard-works', shows: /When mentioned, then every message/ },
      chatInstances: { path: paths.chatInstances, title: 'Chat accounts', shows: /Yard Ltd[^]*invalid_auth/ },
      newChatInstance: { path: paths.newChatInstance, title: 'New chat account', shows: /Slack/ },
      chatInstance: { path: at('chatInstance', chats.instance), title: 'Yard Ltd', shows: /yard-works/ },
      agentGroups: { path: paths.agentGroups, title: 'Agent groups', shows: /Dispatcher[^]*depot/ },
      agentGroup: { path: at('agentGroup', chats.group), title: 'Dispatcher', shows: /Mia Conductor/ },
      strangers: { path: paths.strangers, title: 'Strangers', shows: /Casper[^]*3 messages/ },
      notSent: { path: paths.notSent, title: 'Not sent', shows: /Nothing to retry/ },
      people: { path: paths.people, title: 'People', shows: /Ann Porter/ },
      person: { path: at('person', person.id), title: 'Ann Porter', shows: /email:ann@example\.org/ },
      signIn: { path: paths.signIn, title: 'Sign-in', shows: /Passkeys[^]*Another device/ },
      tokens: { path: paths.tokens, title: 'Tokens', shows: /Nightly builds/ },
      agents: { path: paths.agents, title: 'Agents', shows: /practice/i },
      agent: { path: at('agent', 'practice'), title: 'Practice agent', shows: /opened a session/ },
      mcpClients: { path: paths.mcpClients, title: 'MCP clients', shows: /Claude Code/ },
      workspaces: { path: paths.workspaces, title: 'Workspaces', shows: /depot/ },
      templates: { path: paths.templates, title: 'Templates', shows: /Paint the \{what\}/ },
      policy: { path: paths.policy, title: 'Policy', shows: /git status/ },
      patterns: { path: paths.patterns, title: 'Patterns', shows: /Which platform/ },
      notifications: { path: paths.notifications, title: 'Notifications', shows: /Phone of the yard/ },
      audit: { path: paths.audit, title: 'Audit', shows: /session\.|ask\.|Ann Porter|created/i },
      system: { path: paths.system, title: 'System', shows: /SQLite/ },
      leaving: { path: paths.leaving, title: 'Leaving Signalbox', shows: /can’t be opened/ },
    },
    also: {
      'a link to another site': { path: leavingFor('https://example.org/a'), title: 'Leaving', shows: /another site/ },
      'a link to this computer': {
        path: leavingFor('http://127.0.0.1:41555/'),
        title: 'Leaving',
        shows: /Do not sign in there/,
      },
      'an ask that was answered': {
        path: at('ask', worked.askId),
        title: 'Write done.txt',
        shows: /Undo/,
      },
      'the welcome of a newcomer': { path: paths.welcome, title: 'Welcome', shows: /Start the practice agent/ },
      'a search that finds nothing': { path: `${paths.search}?q=zeppelin`, title: 'Search', shows: /no results/ },
    },
    async [Symbol.asyncDispose]() {
      await owner.post(`/api/terminals/${terminal}/end`)
    },
  }
}

/** Until that view is there with its data, and nothing is loading. */
export const shownIn = (page: Page, name: string, { title, shows }: Visit) =>
  page
    .waitForFunction(
      ([start, source, flags]) => {
        const main = document.querySelector('main')
        const fields = [...(main?.querySelectorAll<HTMLInputElement>('input, textarea') ?? [])]
        const text = [main?.innerText ?? '', ...fields.map(({ value }) => value)].join('\n')
        const isThere = document.title.replace(/^\(\d+\) /, '').startsWith(start)
        return isThere && !main?.querySelector('.animate-late') && new RegExp(source, flags).test(text)
      },
      [title, shows.source, shows.flags] as const,
      // Checking at every frame would leave the page no time.
      { timeout: 15_000, polling: 50 },
    )
    .catch(async () => {
      const seen = `${await page.title()}\n${await page.locator('main').innerText()}`
      throw new Error(`${name} did not come to show ${title} and ${shows}, but:\n${seen.slice(0, 2000)}`)
    })

/** Thoughts, a plan, usage, an approved change and a checkpoint. */
async function workedSession(dashboard: Dashboard): Promise<Id & { title: string; askId: string }> {
  const { owner } = dashboard
  const title = '/think About trains'
  const prompt = [
    '/think About trains',
    '/plan Look; Write; Rest',
    '/usage 12000 0.42',
    '/write done.txt All aboard',
    '/say **Done** with `done.txt`',
  ]
  const session = await dashboard.start(prompt.join('\n'))
  const ask = await dashboard.asks(session.id)
  await owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })
  await until(() => dashboard.file('done.txt') !== null, { what: 'done.txt in the workspace' })
  await owner.post(`/api/sessions/${session.id}/checkpoints`, { label: 'Before the tests' })
  return { id: session.id, title, askId: ask.id }
}

async function alertOf(dashboard: Dashboard): Promise<Id> {
  const { id } = await dashboard.start('/stall forever')
  return until(
    async () => {
      const { alerts } = await dashboard.owner.get<{ alerts: (Id & { sessionId: string })[] }>('/api/alerts')
      return alerts.find(({ sessionId }) => sessionId === id)
    },
    { what: 'an alert', seconds: 30 },
  )
}

/** One prompt answered, so that it is learned; the next one waits. */
async function askingTerminal({ owner }: Dashboard): Promise<string> {
  const script = `printf 'Which platform? '; read a; printf 'Install the package? [y/n] '; read b`
  const { sessionId } = await owner.post<{ sessionId: string }>('/api/terminals', {
    sessionType: 'script',
    command: ['sh', '-c', script],
    name: 'installer',
  })
  const waits = (about: string) =>
    until(
      async () => {
        const found = await owner.get<{ waiting: boolean; promptText: string; promptId: string }>(
          `/api/terminals/${sessionId}/detection`,
        )
        return found.waiting && found.promptText.includes(about) ? found : null
      },
      { what: `the question ${about}` },
    )
  const { promptId } = await waits('Which platform?')
  await owner.post(`/api/terminals/${sessionId}/input`, { text: 'linux', expectPrompt: promptId })
  await waits('Install the package?')
  return sessionId
}

/** A P-256 point and a secret, as a browser would send them; nothing is sent there. */
const deviceKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}
