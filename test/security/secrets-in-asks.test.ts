import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newToken, startSession } from '../conformance/work.ts'
import type { Ask } from '../conformance/shapes.ts'
import { startServer, type Server } from '../support/server.ts'
import { answersOf, filesOf } from '../terminals/secrets-places.ts'

/** Values in no known format: only their position makes them secrets. */
const canary = (): string => `Zq${randomBytes(9).toString('hex')}kX`

const lines: Record<string, (secret: string) => string> = {
  'a header': (secret) => `curl -H "Authorization: Bearer ${secret}" https://example.org`,
  'the password of a database': (secret) => `mysql -uroot -p${secret} shop`,
  'a variable': (secret) => `API_TOKEN=${secret} make deploy`,
  'an address': (secret) => `git push https://ann:${secret}@example.org/x`,
}
const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }]

describe('secrets in the commands that agents ask for', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it('S5 of tools that agents run themselves: not stored, shown, sent or logged', async () => {
    const { token } = await newToken(server.api(), { name: 'agent', scope: 'agent' })
    const agent = server.api(token)
    const session = await startSession(agent)
    const secrets: string[] = []
    for (const line of Object.values(lines)) {
      const [first, second, third] = [canary(), canary(), canary()]
      secrets.push(first, second, third)
      const command = line(first)
      const toolCall = { type: 'tool', tool: 'shell', kind: 'execute', title: `\`${command}\``, args: { command } }
      const subjects = [
        { title: command, subject: { kind: 'permission', toolCall, options } },
        {
          title: 'A tool',
          description: line(second),
          subject: { kind: 'tool', tool: 'Bash', input: { command: line(second) } },
        },
        {
          title: 'A tool',
          subject: { kind: 'tool', tool: 'run', input: { command: 'sh', args: ['--password', third] } },
        },
      ]
      for (const body of subjects) {
        const ask = await agent.post<Ask>(`/api/sessions/${session.id}/asks`, body)
        expect(JSON.stringify(ask)).toContain('[REDACTED]')
      }
    }
    const places = new Map([
      ...filesOf(server.home),
      ...(await answersOf(server.api(), [])),
      ['inbox', Buffer.from((await server.api().send('GET', '/api/inbox')).text)] as const,
      [
        'export',
        Buffer.from((await server.api().send('GET', `/api/sessions/${session.id}/export?format=json`)).text),
      ] as const,
      ['server log', Buffer.from(server.log() + server.printed())] as const,
    ])
    const found = [...places].flatMap(([name, content]) => (secrets.some((one) => content.includes(one)) ? [name] : []))
    expect(found).toEqual([])
  })

  it('S5 file contents, and everything that is not a command, are shown unchanged', async () => {
    const agent = server.api((await newToken(server.api(), { name: 'other', scope: 'agent' })).token)
    const session = await startSession(agent)
    const input = { path: 'config.ts', content: "const password = 'from-the-vault'" }
    const subject = { kind: 'tool', tool: 'Write', input }
    const ask = await agent.post<Ask & { subject: unknown }>(`/api/sessions/${session.id}/asks`, {
      title: 'Write',
      subject,
    })
    expect(ask.subject).toMatchObject({ input })
  })
})
