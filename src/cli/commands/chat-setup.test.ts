import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { ChatPlatform } from '../../client/contract/chat-instances.ts'
import type { Context } from '../context.ts'
import { addInstance, parseCredentials } from './chat-setup.ts'
import { claimCode } from './identities.ts'

const field = { secret: true, hint: 'Look there.' }
const slack: ChatPlatform = {
  name: 'slack',
  title: 'Slack',
  delivery: 'once',
  hasManifest: true,
  steps: ['Create an app.'],
  fields: [
    { ...field, name: 'bot_token', label: 'Bot token', required: true },
    { ...field, name: 'app_token', label: 'App-level token', required: false },
  ],
}

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})
function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-'))
  folders.push(folder)
  const file = join(folder, 'slack.env')
  writeFileSync(file, text)
  return file
}

/** A server whose instance has these states in turn. */
function desk(
  given: { env?: NodeJS.ProcessEnv; states?: string[]; json?: boolean; groups?: number; line?: string } = {},
) {
  const [said, sent]: [string[], unknown[]] = [[], []]
  const states = given.states ?? ['connected']
  const instance = { id: '0199c2d4-1111-7111-8111-111111111111', name: 'slack', stateError: 'no such team' }
  const client = {
    listChatPlatforms: async () => ({ platforms: [slack] }),
    listAgentGroups: async () => ({ agentGroups: Array.from({ length: given.groups ?? 0 }, () => ({})) }),
    async addChatInstance({ body }: { body: unknown }) {
      sent.push(body)
      const self = { handle: 'U0', name: 'signalbox', workspace: 'Example Ltd' }
      return { instance: { ...instance, state: 'stopped' }, self, warnings: ['Files cannot be read.'] }
    },
    getChatInstance: async () => ({ ...instance, state: states.length > 1 ? states.shift() : states[0] }),
    showIdentityCode: async () => ({ identity: 'slack:U1' }),
    async claimIdentity({ body }: { body: unknown }) {
      sent.push(body)
      return { displayName: 'Ann' }
    },
  }
  let now = 0
  const context = {
    json: given.json ?? false,
    env: given.env ?? {},
    out: {
      print: (text: string) => said.push(text),
      note: (text: string) => said.push(text),
      json: (value: unknown) => said.push(JSON.stringify(value)),
    },
    now: () => (now += 10_000),
    api: async () => ({ client }),
    interrupted: () => new AbortController().signal,
    keyboard: given.line === undefined ? null : { ask: async () => ({ line: given.line, typed: '' }) },
  } as unknown as Context
  const add = (flags: { credentials?: string; platform?: string; setting?: string[] } = {}) =>
    addInstance(
      {
        args: [flags.platform ?? 'slack'],
        flags: {
          name: undefined,
          title: undefined,
          credentials: flags.credentials,
          setting: flags.setting ?? [],
          'no-check': false,
          'no-wait': false,
        },
      },
      context,
    )
  return { add, context, sent, shown: () => said.join('\n') }
}

describe('signalbox chat add', () => {
  it('takes credentials from the environment, waits until it is connected, and says what is next', async () => {
    const { add, sent, shown } = desk({ env: { SLACK_BOT_TOKEN: 'xoxb-1' }, states: ['connecting', 'connected'] })
    expect(await add()).toBe(undefined)
    expect(sent).toEqual([{ platform: 'slack', credentials: { bot_token: 'xoxb-1' }, settings: {}, check: true }])
    expect(shown()).toContain('signed in as signalbox in Example Ltd')
    expect(shown()).toContain('Warning: Files cannot be read.')
    expect(shown()).toContain('Slack is connected as slack.')
    expect(shown()).toContain('1. Create an agent group')
    expect(shown()).not.toContain('xoxb-1')
  })

  it('fails if the platform refuses the connection, and stops waiting for one that does not come', async () => {
    const env = { SLACK_BOT_TOKEN: 'xoxb-1' }
    const refused = desk({ env, states: ['refused'] })
    expect([await refused.add(), refused.shown().includes('refused the connection: no such team')]).toEqual([1, true])
    const slow = desk({ env, states: ['connecting'] })
    await slow.add()
    expect(slow.shown()).toContain('not connected yet')
    expect(slow.shown()).not.toContain('Next:')
  })

  it('takes them from a file, and never prints them', async () => {
    const text = '# Slack\nexport SLACK_BOT_TOKEN="xoxb-2"\napp_token = xapp-2\n'
    const { add, sent, shown } = desk({ groups: 1 })
    await add({ credentials: fileWith(text) })
    expect(sent).toMatchObject([{ credentials: { bot_token: 'xoxb-2', app_token: 'xapp-2' } }])
    expect(shown()).not.toMatch(/xoxb|xapp|Create an agent group/)
  })

  it('takes settings, and with the package of an adapter any platform', async () => {
    const { add, sent } = desk()
    const config = fileWith('{"appId": "1", "nested": {"a": true}}\n')
    await add({ platform: 'teams', credentials: config, setting: ['package=@chat-adapter/teams', 'api=http://x/?a=b'] })
    expect(sent).toMatchObject([
      {
        platform: 'teams',
        settings: { package: '@chat-adapter/teams', api: 'http://x/?a=b' },
        credentials: { config: '{"appId": "1", "nested": {"a": true}}' },
      },
    ])
    await expect(add({ setting: ['api'] })).rejects.toMatchObject({ code: 'usage', message: 'invalid setting "api"' })
  })

  it('without a terminal says where credentials come from', async () => {
    await expect(desk().add()).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('set environment variables: SLACK_BOT_TOKEN, SLACK_APP_TOKEN (optional)'),
    })
    await expect(desk().add({ platform: 'irc' })).rejects.toMatchObject({
      message: 'Unknown chat platform "irc".',
      hint: expect.stringContaining('Use one of: slack.'),
    })
    await expect(desk().add({ credentials: '/nowhere/x' })).rejects.toMatchObject({ code: 'usage' })
  })
})

it('credentials that are not understood are not repeated', () => {
  const secret = 'xoxb-secret'
  for (const text of [secret, `{"bot_token": ${secret}}`, '{"bot_token": 1}', `password=${secret}`]) {
    let message = ''
    try {
      parseCredentials(text, slack)
    } catch (error) {
      message = error instanceof Error ? error.message : ''
    }
    expect(message).not.toBe('')
    expect(message).not.toContain(secret)
  }
})

describe('signalbox identities claim', () => {
  const claim = (context: Context, yes = false) => claimCode({ args: ['K7QM-2XWD'], flags: { yes } }, context)

  it('shows the account first, and links it on yes', async () => {
    const { context, sent, shown } = desk({ line: 'y' })
    await claim(context)
    expect(sent).toEqual([{ code: 'K7QM-2XWD' }])
    expect(shown()).toBe('slack:U1 is linked to Ann.')
  })

  it('links nothing on no, or without a terminal', async () => {
    const [no, nobody] = [desk({ line: 'n' }), desk()]
    await expect(claim(no.context)).rejects.toMatchObject({ code: 'not_confirmed', exit: 1 })
    await expect(claim(nobody.context)).rejects.toMatchObject({ code: 'not_confirmed', exit: 2 })
    expect([...no.sent, ...nobody.sent]).toEqual([])
    await claim(nobody.context, true)
    expect(nobody.sent).toHaveLength(1)
  })
})
