import * as z from 'zod'
import type { Detection, Terminals } from '../../../../app/terminals.ts'
import { runSubject, runTitle, type Run } from '../../../../domain/ask/run.ts'
import type { AskId } from '../../../../domain/ask/schema.ts'
import type { Result } from '../../../../lib/result.ts'
import type { ToolCall, AskResult } from '../../calls/tool-call.ts'
import { requestId } from '../common.ts'
import { reply, tool, type ToolResult } from '../tool.ts'
import { createHeldRuns, runIn, wholeRun, type HeldRuns } from './approved-run.ts'
import { isWaiting, notAllowed, sessionId, terminalId } from './common.ts'
import type { ShownPrompts } from './shown-prompts.ts'

const input = z.strictObject({
  session_id: sessionId.optional(),
  text: z.string().max(65_536).optional().describe('Required. What is typed.'),
  expect_prompt: z
    .string()
    .max(200)
    .optional()
    .describe('The prompt_id of the detection that you are answering. Default: the one that you were last shown.'),
  press_enter: z.boolean().default(true).describe('Press Enter after the text.'),
  keys: z
    .array(z.string().min(1).max(40))
    .max(100)
    .default([])
    .describe('Keys after the text and before Enter, such as up, down, tab, space, escape or ctrl-c.'),
  request_id: requestId,
})

type Typed = Extract<Run, { kind: 'input' }>

export const sendSessionInput = (terminals: Terminals, shown: ShownPrompts) => {
  const held = createHeldRuns()
  return tool({
    name: 'send_session_input',
    title: 'Answer a terminal',
    description: [
      'Types an answer into the prompt it is meant for, and reports the outcome.',
      'refused_stale: the prompt has changed, look again. refused_unreadable: it is not clear what would be answered.',
      'unverified: typed, but nothing shows that it was accepted. Dangerous and secret prompts are for people;',
      'input at a command line needs approval first. pending: call again with request_id alone.',
    ].join(' '),
    input,
    output: z.object({
      status: z.enum(['delivered', 'refused_stale', 'refused_unreadable', 'unverified', 'pending']),
      screen_after: z.string().optional(),
      request_id: z.string().optional(),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    needs: ['session_id', 'text'],
    async run({ session_id = '', text = '', expect_prompt, press_enter, keys, request_id }, call) {
      if (request_id !== undefined) return settle(terminals, call, await call.reattach(request_id, ['command']), held)
      const id = terminalId(session_id)
      if (!id.ok) return id
      const { actor } = call.link
      const now = await terminals.detect(id.value, actor)
      if (!now.ok) return now
      const { promptId } = now.value
      // Refuse before asking anyone.
      const refused = await terminals.mayType(id.value, actor)
      if (refused) return refused
      if (isCommandLine(now.value) && promptId !== null && (expect_prompt ?? promptId) === promptId) {
        const run: Typed = { kind: 'input', terminalId: id.value, promptId, text, keys, pressEnter: press_enter }
        // The shell may be in any directory by now, so no workspace policy applies.
        const asked = { title: runTitle(run), subject: runSubject(run), known: (askId: AskId) => held.hold(askId, run) }
        return settle(terminals, call, await call.ask(asked), held)
      }
      const expectPrompt = expect_prompt ?? shown.of(call.link, id.value)
      const words = { text, keys, pressEnter: press_enter, secret: false }
      return typed(await terminals.input({ ...words, id: id.value, expectPrompt, actor }))
    },
  })
}

/** The terminal itself refuses dangerous and secret prompts. */
const isCommandLine = (detection: Detection): boolean =>
  isWaiting(detection) && detection.promptType === 'command' && !detection.isDangerous && !detection.secret

async function settle(
  terminals: Terminals,
  call: ToolCall,
  asked: Result<AskResult>,
  held: HeldRuns,
): Promise<ToolResult> {
  if (!asked.ok) return asked
  const { ask, pending } = asked.value
  const run = await runIn(call, ask, ['input'])
  if (!run.ok) return run
  if (pending) return reply({ status: 'pending', request_id: ask.id })
  if (ask.answer?.outcome !== 'approve') {
    held.drop(ask.id)
    return notAllowed(ask, 'Nothing was typed.')
  }
  const whole = wholeRun(ask, run.value, held)
  if (!whole.ok) return whole
  held.drop(ask.id)
  // Typed once: after that the approved prompt is gone, and no other is answered.
  const { terminalId: id, promptId: expectPrompt, text, keys, pressEnter } = whole.value
  const words = { text, keys, pressEnter, secret: false }
  return typed(await terminals.input({ ...words, id, expectPrompt, actor: call.link.actor, approved: true }))
}

const typed = (done: Awaited<ReturnType<Terminals['input']>>): ToolResult =>
  done.ok ? reply({ status: done.value.status, screen_after: done.value.screenAfter }) : done
