import { splitWord, type PracticeCommands } from '../command.ts'
import type { PracticeTurn } from '../turn.ts'

/** Where the id is, and its JSON type. */
const idStyles = ['number', 'string', 'params-number', 'params-string'] as const
type IdStyle = (typeof idStyles)[number]

const diff = [
  '--- /dev/null',
  '+++ b/signalbox-practice.md',
  '@@ -0,0 +1 @@',
  '+Written by the practice agent.',
  '',
].join('\n')
let used = 0

/** Signalbox's own stream methods beside ACP. */
export const seed: PracticeCommands = {
  seed: {
    description: "Uses Signalbox's own stream methods",
    hint: `clearance|status|prompt|heartbeat [${idStyles.join('|')}]`,
    async run(turn, argument) {
      const [what, style] = splitWord(argument)
      turn.seed.onUnsolicited = (method, words) => unsolicited(turn, method, words)
      switch (what) {
        case 'clearance':
          return askServer(turn, style, 'clearance/request', {
            title: 'Write signalbox-practice.md',
            description: 'The practice agent asks with its own stream method.',
            diff,
            file_path: 'signalbox-practice.md',
            risk_level: 'low',
          })
        case 'prompt':
          return askServer(turn, style, 'prompt/forward', { text: 'Shall I continue?', type: 'continuation' })
        case 'status':
          return turn.seed.send({ method: 'status/update', params: { message: 'Half of the practice is done.' } })
        case 'heartbeat':
          return turn.seed.send({
            method: 'heartbeat',
            params: {
              progress: [
                { label: 'Warm up', status: 'done' },
                { label: 'Practise', status: 'in_progress' },
              ],
            },
          })
        default:
          return turn.say(`Say: /seed ${seed['seed']?.hint}`)
      }
    },
  },
}

async function askServer(
  turn: PracticeTurn,
  wanted: string,
  method: string,
  params: Record<string, unknown>,
): Promise<void> {
  const style: IdStyle = idStyles.find((style) => style === wanted) ?? idStyles[used++ % idStyles.length] ?? 'string'
  const id = turn.seed.newId(style.endsWith('number') ? 'number' : 'string')
  const reply = turn.seed.reply(id, turn.signal)
  turn.seed.send(style.startsWith('params') ? { method, params: { id, ...params } } : { id, method, params })
  await turn.say(await reply)
}

/** Also after the turn, to the session that used the dialect last. */
function unsolicited(turn: PracticeTurn, method: string, words: string): void {
  const sessionUpdate = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } } as const
  void turn.client.notify('session/update', { sessionId: turn.session.id, update: sessionUpdate }).catch(() => {})
  if (method === 'session/interrupt') turn.session.running?.cancel()
}
