import { describe, expect, it } from 'vitest'
import { realAgents } from '../support/agents/profiles.ts'
import { until } from '../support/until.ts'
import type { Ask } from '../conformance/shapes.ts'
import { openRealAgentHarness, type AgentSession, type RealAgentHarness } from './real-agent-harness.ts'
import { scale } from '../support/scale.ts'

/** The name under which each agent shows the model one of our tools. */
const toolNames: Record<(typeof realAgents)[number], (tool: string) => string> = {
  gemini: (tool) => `mcp_signalbox_${tool}`,
  claude: (tool) => `mcp__signalbox__${tool}`,
  opencode: (tool) => `signalbox_${tool}`,
  codex: (tool) => tool,
}

/** How many of four calls it asks about. Codex knows which of our tools change nothing; OpenCode asks about none. */
const permitted: Record<(typeof realAgents)[number], number> = { gemini: 4, claude: 4, codex: 1, opencode: 0 }

/** In long runs, longer than agents wait for a silent tool. */
const [longWait, longWaitMs] = scale({ test: ['a moment', 2000], long: ['more than a minute', 65_000] })

type AnsweredAsk = Ask & { answeredAt: string | null }

const asksOf = async (harness: RealAgentHarness, { id }: AgentSession): Promise<AnsweredAsk[]> =>
  (await harness.server.api().get<{ asks: AnsweredAsk[] }>(`/api/asks?sessionId=${id}&limit=100`)).asks

/** The open ask; a permission is never among them. */
async function openAsk(harness: RealAgentHarness, session: AgentSession, kind: string): Promise<AnsweredAsk> {
  const find = async () => (await asksOf(harness, session)).find(({ status }) => status === 'open')
  const ask = await until(find, { seconds: 90, what: `an open ask of kind ${kind}` })
  expect(ask.kind).toBe(kind)
  return ask
}

const answer = (harness: RealAgentHarness, { id }: AnsweredAsk, given: Record<string, unknown>): Promise<unknown> =>
  harness.server.api().post(`/api/asks/${id}/answer`, given)

describe.skipIf(process.platform !== 'linux').concurrent('our own tools in real agents', () => {
  it.each(realAgents)(
    `X7 %s calls ask_approval, forward_prompt and wait_for_instruction, waits ${longWait}, and nobody is asked whether it may`,
    async (agent) => {
      await using harness = await openRealAgentHarness(agent)
      const call = (tool: string, args: object) => ({ call: { name: toolNames[agent](tool), args } })
      const session = await harness.start()
      const diff = '--- /dev/null\n+++ b/notes.txt\n@@ -0,0 +1 @@\n+blue\n'
      const prompt = await harness.prompt(
        session,
        call('remote_log', { message: 'I begin.' }),
        call('ask_approval', { title: 'Write notes.txt', diff, file_path: 'notes.txt' }),
        call('forward_prompt', { prompt_text: 'Which colour?', prompt_type: 'clarification' }),
        call('wait_for_instruction', { message: 'What is next?' }),
        { say: 'All is done.' },
      )

      const approval = await openAsk(harness, session, 'diff')
      const asked = Date.now()
      await until(() => Date.now() - asked > longWaitMs, { seconds: 90, what: longWait })
      expect((await openAsk(harness, session, 'diff')).id).toBe(approval.id)
      await answer(harness, approval, { outcome: 'approve' })
      const question = await openAsk(harness, session, 'prompt')
      await answer(harness, question, { outcome: 'refine', instruction: 'Paint it blue.' })
      const wait = await openAsk(harness, session, 'wait')
      await answer(harness, wait, { outcome: 'resume', instruction: 'Clean the brushes.' })
      await harness.settled(prompt)
      expect(await harness.said(session)).toBe('I begin.All is done.')

      // The model saw the answers.
      const seen = JSON.stringify(harness.model.requests().at(-1)?.talk.items)
      for (const words of ['approved', approval.id, 'Paint it blue.', 'Clean the brushes.'])
        expect(seen).toContain(words)
      const permissions = (await asksOf(harness, session)).filter(({ kind }) => kind === 'permission')
      expect(permissions).toHaveLength(permitted[agent])
      for (const { answeredBy, automatic, createdAt, answeredAt } of permissions)
        expect({ answeredBy, automatic, at: answeredAt }).toEqual({
          answeredBy: 'policy:own-tool',
          automatic: true,
          at: createdAt,
        })
    },
  )
})
