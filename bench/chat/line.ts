import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { openSlack, type EmulatedSlack } from '../../test/support/chats/slack.ts'
import { until } from '../../test/support/until.ts'
import { openPost } from '../held/post.ts'
import { makeDataDirectory } from '../lib/data-directory.ts'
import { forInformation, type Figure, type Line } from '../lib/line.ts'
import { makeToken, startSignalbox } from '../lib/program.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'

const threads = 100
const mostMs = 500

const p95 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN

/** When the emulated Slack got each text, in milliseconds; its timestamps are its clock. */
function arrivals(slack: EmulatedSlack, channel: string, prefix: string): Map<string, number> {
  const found = slack.messages(channel).filter(({ text }) => text.startsWith(prefix))
  return new Map(found.map(({ text, ts }) => [text, Number(ts) * 1000]))
}

export const chat: Line = {
  name: 'chat',
  measured: `${threads} agents, each with a session that has its own thread in one Slack channel, log a message at the same
moment. Timed from each call until an emulated Slack on this machine has the message, with the event, the post and its row in
the outbox on the disk. The peer is Slack's own time: ${threads} direct calls of \`chat.postMessage\` at once. Agents and Slack are in
one process, which contributes to both.`,
  async run({ folder, quick }) {
    const count = quick ? 20 : threads
    await using slack = await openSlack()
    const channel = slack.channel('bench')
    const [home, work] = [join(folder, 'home'), join(folder, 'work')]
    await makeDataDirectory(home)
    mkdirSync(work)
    const workspace = `[[workspace]]\nid = "bench"\nchannel_id = "${channel}"\npath = ${JSON.stringify(work)}\n`
    writeFileSync(join(home, 'config.toml'), `max_concurrent_sessions = 10000\n${workspace}`, { mode: 0o600 })
    await using server = await startSignalbox(home)
    using person = openPost(server.port, await makeToken(home))
    const { token } = JSON.parse(await person.post('/api/tokens', { name: 'agents', scope: 'agent' })) as {
      token: string
    }
    await person.post('/api/chat-instances', {
      platform: 'slack',
      credentials: { bot_token: slack.tokens.bot, app_token: slack.tokens.app },
      settings: slack.endpoints,
    })
    await slack.connected()
    await using stack = new AsyncDisposableStack()
    const agents: Client[] = []
    for (let n = 0; n < count; n += 1) {
      const client = new Client({ name: `bench ${n}`, version: '1' })
      const url = new URL(`http://127.0.0.1:${server.port}/mcp?workspace_id=bench`)
      await client.connect(
        new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
      )
      stack.defer(() => client.close())
      // The first call opens the session and its thread.
      await client.callTool({ name: 'remote_log', arguments: { message: `hello ${n}` } })
      agents.push(client)
    }
    await until(() => arrivals(slack, channel, 'hello ').size === count, { what: 'all threads', seconds: 60 })

    let round = 0
    /** All at once; the 95th percentile of the times until each text is there. */
    async function measure(prefix: string, send: (text: string, n: number) => Promise<unknown>): Promise<number> {
      round += 1
      const name = `${prefix}-${round}-`
      const started = new Map<string, number>()
      const sent = Array.from({ length: count }, (_, n) => {
        const text = `${name}${n}`
        started.set(text, performance.timeOrigin + performance.now())
        return send(text, n)
      })
      await Promise.all(sent)
      await until(() => arrivals(slack, channel, name).size === count, { what: 'all messages', seconds: 60 })
      return p95([...arrivals(slack, channel, name)].map(([text, at]) => at - (started.get(text) ?? Number.NaN)))
    }
    const times = await interleaved(quick ? 2 : 5, {
      ours: () =>
        measure('ours', (text, n) =>
          agents[n] ? agents[n].callTool({ name: 'remote_log', arguments: { message: text } }) : Promise.resolve(),
        ),
      peer: () =>
        measure('peer', (text) =>
          fetch(new URL('chat.postMessage', slack.endpoints.api), {
            method: 'POST',
            headers: { authorization: `Bearer ${slack.tokens.bot}`, 'content-type': 'application/json' },
            body: JSON.stringify({ channel, text }),
          }),
        ),
    })
    const beyond = times.ours.map((value, at) => value - (times.peer[at] ?? 0))
    const figure: Figure = {
      ...forInformation({
        name: 'chat/arrives',
        title: `${count} threads at once: a message is in the chat, 95th percentile`,
        unit: 'ms',
        ours: sampleOf(times.ours),
        peer: sampleOf(times.peer),
        ratio: ratioOf(times.ours, times.peer),
      }),
      bar: `≤ ${mostMs} ms beyond the platform`,
      holds: sampleOf(beyond).median <= mostMs,
    }
    return [figure]
  },
}
