import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Files, Undo } from '../means.ts'
import { editsOf, pathsOf, type Edit, type ToolContent } from '../transcript/tool-call.ts'

type Approval = { askId: string; toolCallId: string; kind: string; edits: readonly Edit[]; commands: readonly string[] }

/** What people allowed in this turn: kept before it happens, compared afterwards. */
export type Approvals = {
  /** Before the agent is told: the files concerned are kept, so that what was approved can be undone. */
  approve(askId: string, toolCallId: string, tool: ToolContent): Promise<void>
  /** Whether this very write was approved as a permission already. */
  coversWrite(path: string, content: string): Promise<boolean>
  /** Whether this very command was approved as a permission already; each approval is good for one. */
  coversCommand(program: string, args: readonly string[]): boolean
  /** A call is over: is the file what was approved? */
  finished(toolCallId: string): void
  endTurn(): Promise<void>
}

export function createApprovals(deps: {
  app: App
  sessionId: SessionId
  log: Logger
  files: Files
  undo: Undo
}): Approvals {
  const { sessionId, files, undo, log } = deps
  let approved: Approval[] = []
  let comparing: Promise<void> = Promise.resolve()

  async function compare({ askId }: Approval): Promise<void> {
    for (const { path, outcome } of await undo.compare(askId)) {
      if (outcome !== 'differs') continue
      log.warn({ askId, path }, 'a file is not what was approved')
      const text = `${path} is not what was approved: the agent wrote something else. What was there before is kept.`
      await deps.app.dispatch(
        { type: 'session.alert', id: sessionId, what: 'write_differs', text },
        { kind: 'system', name: 'acp' },
      )
    }
  }

  const settle = (done: readonly Approval[]) => {
    comparing = comparing.then(async () => {
      for (const approval of done)
        await compare(approval).catch((error: unknown) =>
          log.error({ error: String(error) }, 'files could not be compared'),
        )
    })
    return comparing
  }

  return {
    async approve(askId, toolCallId, tool) {
      const edits = editsOf(tool)
      approved.push({ askId, toolCallId, kind: tool.kind ?? 'other', edits, commands: commandsOf(tool) })
      const paths =
        edits.length > 0 || tool.kind === 'edit' || tool.kind === 'delete' || tool.kind === 'move' ? pathsOf(tool) : []
      if (edits.length === 0 && paths.length === 0) return
      const kept = await undo.keep({ askId, sessionId, edits, paths })
      if (!kept.ok) log.warn({ askId, code: kept.fault.code }, 'an undo point could not be kept')
    },
    async coversWrite(path, content) {
      const located = await files.locate(path)
      if (!located.ok) return false
      for (const approval of approved)
        for (const edit of approval.edits) {
          const place = await files.locate(edit.path)
          if (!place.ok || place.value.path !== located.value.path) continue
          if (edit.newText === content) return true
          const now = await files.readText(path)
          const before = now.ok ? now.value.text : ''
          if (
            edit.oldText !== null &&
            edit.oldText !== '' &&
            replaceOnce(before, edit.oldText, edit.newText) === content
          )
            return true
        }
      return false
    },
    coversCommand(program, args) {
      const lines = [[program, ...args].join(' '), ...(isShell(program) ? args.slice(-1) : [])].map(squeeze)
      const found = approved.find(
        ({ kind, commands }) => kind === 'execute' && commands.some((one) => lines.includes(one)),
      )
      if (found) found.commands = []
      return found !== undefined
    },
    finished(toolCallId) {
      const done = approved.filter((approval) => approval.toolCallId === toolCallId && approval.edits.length > 0)
      approved = approved.filter((approval) => !done.includes(approval))
      if (done.length > 0) void settle(done)
    },
    async endTurn() {
      const rest = approved.filter((approval) => approval.edits.length > 0)
      approved = []
      await settle(rest)
    },
  }
}

const squeeze = (line: string): string => line.replaceAll(/\s+/g, ' ').trim()
const isShell = (program: string): boolean => /(?:^|\/)(?:ba|da|z)?sh$/.test(program)

/** What a person saw when they allowed it: the command itself, or a title that is nothing but the command. */
function commandsOf({ args, title }: ToolContent): string[] {
  const command = (args as { command?: unknown } | null)?.command
  const list = Array.isArray(command) ? command.map(String) : typeof command === 'string' ? [command] : []
  const [program = '', ...rest] = list
  const shown = [
    list.join(' '),
    ...(isShell(program) ? rest.slice(-1) : []),
    title ?? '',
    title?.replaceAll('`', '') ?? '',
  ]
  return shown.map(squeeze).filter((line) => line !== '')
}

const replaceOnce = (text: string, from: string, to: string): string => {
  const at = text.indexOf(from)
  return at < 0 ? text : `${text.slice(0, at)}${to}${text.slice(at + from.length)}`
}
