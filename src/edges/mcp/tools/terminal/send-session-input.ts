import * as z from 'zod'
import type { Detection, Terminals } from '../../../../app/terminals.ts'
import type { Ask } from '../../../../domain/ask/schema.ts'
import { SessionId } from '../../../../domain/session/id.ts'
import type { Result } from '../../../../lib/result.ts'
import { requestNotFound, type Call, type Held } from '../../calls/call.ts'
import { requestId } from '../parts.ts'
import { said, tool, type Said } from '../tool.ts'
import { isWaiting, jsonIn, notAllowed, sessionId, terminalId, withJson } from './parts.ts'

const input = z.strictObject({
  session_id: sessionId.optional(),
  text: z.string().max(65_536).optional().describe('Required. What is typed.'),
  expect_prompt: z.string().max(200).optional().describe('The prompt_id of the detection that you answer.'),
  press_enter: z.boolean().default(true).describe('Enter after the text.'),
  keys: z
    .array(z.string().min(1).max(40))
    .max(100)
    .default([])
    .describe('Keys after the text and before Enter, such as up, down, tab, space, escape or ctrl-c.'),
  request_id: requestId,
})

/** What an agent wants to type at a command line, as it stands in the ask about it. */
const Meant = z.strictObject({
  session_id: SessionId,
  prompt_id: z.string(),
  text: z.string(),
  keys: z.array(z.string()),
  press_enter: z.boolean(),
})
type Meant = z.infer<typeof Meant>

export const sendSessionInput = (terminals: Terminals) =>
  tool({
    name: 'send_session_input',
    title: 'Answer a terminal',
    description: [
      'Types an answer into the prompt it is meant for, and says what came of it.',
      'refused_stale: the prompt has changed, look again. refused_unreadable: it is not clear what would be answered.',
      'unverified: typed, and nothing shows that it was taken. Dangerous and secret prompts are for people;',
      'what is typed at a command line is asked for first. pending: call again with request_id alone.',
    ].join(' '),
    input,
    output: z.object({
      status: z.enum(['delivered', 'refused_stale', 'refused_unreadable', 'unverified', 'pending']),
      screen_after: z.string().optional(),
      request_id: z.string().optional(),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    needs: ['session_id', 'text'],
    async run({ session_id = '', text = '', expect_prompt = null, press_enter, keys, request_id }, call) {
      if (request_id !== undefined) return settle(terminals, call, await call.reattach(request_id, ['command']))
      const id = terminalId(session_id)
      if (!id.ok) return id
      const { actor } = call.link
      const now = await terminals.detect(id.value, actor)
      if (!now.ok) return now
      const { promptId } = now.value
      if (isCommandLine(now.value) && promptId !== null && (expect_prompt ?? promptId) === promptId) {
        const meant = { session_id: id.value, prompt_id: promptId, text, keys, press_enter }
        const command = commandOf(meant)
        const title = command.replaceAll(/\s+/g, ' ').trim().slice(0, 500) || 'Enter, and nothing before it'
        // The shell may be anywhere by now, or no shell: no policy of a workspace speaks of it.
        const subject = { kind: 'command' as const, command, cwd: placeOf(meant) }
        return settle(terminals, call, await call.ask({ title, subject, description: withJson(heading, meant) }))
      }
      return typed(
        await terminals.input({
          ...typing({ text, keys, press_enter }),
          id: id.value,
          expectPrompt: expect_prompt,
          actor,
        }),
      )
    },
  })

const heading = 'Is typed at the command line of a terminal that Signalbox watches.'

/** Others that wait for a command line are refused by the terminal itself. */
const isCommandLine = (detection: Detection): boolean =>
  isWaiting(detection) && detection.promptType === 'command' && !detection.isDangerous && !detection.secret

const commandOf = ({ text, keys }: Pick<Meant, 'text' | 'keys'>): string =>
  [...(text === '' ? [] : [text]), ...keys.map((key) => `<${key}>`)].join(' ')

const placeOf = ({ session_id }: Meant): string => `terminal ${session_id}`

const typing = ({ text, keys, press_enter }: Pick<Meant, 'text' | 'keys' | 'press_enter'>) => ({
  text,
  keys,
  pressEnter: press_enter,
  secret: false,
})

async function settle(terminals: Terminals, { link }: Call, held: Result<Held>): Promise<Said> {
  if (!held.ok) return held
  const { ask, pending } = held.value
  const meant = meantIn(ask)
  if (meant === null) return requestNotFound(ask.id)
  if (pending) return said({ status: 'pending', request_id: ask.id })
  if (ask.answer?.outcome !== 'approve') return notAllowed(ask, 'Nothing was typed.')
  // Typed once: the prompt it was approved for is gone then, and no other is answered.
  const { session_id: id, prompt_id: expectPrompt } = meant
  return typed(await terminals.input({ ...typing(meant), id, expectPrompt, actor: link.actor, approved: true }))
}

function meantIn({ subject, description }: Ask): Meant | null {
  const read = Meant.safeParse(jsonIn(heading, description))
  if (!read.success || subject.kind !== 'command') return null
  return subject.command === commandOf(read.data) && subject.cwd === placeOf(read.data) ? read.data : null
}

const typed = (done: Awaited<ReturnType<Terminals['input']>>): Said =>
  done.ok ? said({ status: done.value.status, screen_after: done.value.screenAfter }) : done
