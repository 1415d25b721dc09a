import type { ToolContent } from '../../../domain/message/schema.ts'
import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { sha256 } from '../../../lib/secret.ts'
import { shellLine } from '../../../lib/shell-words.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'
import type { WorkspaceFiles, UndoPoints } from '../deps.ts'
import type { Notes } from '../transcript/recorder.ts'
import { editsOf, pathsOf } from '../transcript/tool-call.ts'
import { approvedEdit, keptApprovals, type Approval } from './stored-approval.ts'

/** What people approved in this turn. Files are saved before the change and compared after it. */
export type Approvals = {
  /** Saves the files before the agent gets the answer, so that the change can be undone. */
  approve(askId: string, toolCallId: string, tool: ToolContent): Promise<void>
  /** Whether a permission already covers exactly this write. */
  coversWrite(path: string, content: string): Promise<boolean>
  /** Whether a permission already covers exactly this command. Each approval covers one call. */
  coversCommand(program: string, args: readonly string[], call: number): boolean
  /** A tool call ended: compares its files with what was approved. */
  finished(toolCallId: string): void
  endTurn(): Promise<void>
}

export function createApprovals(deps: {
  app: App
  sessionId: SessionId
  log: Logger
  files: WorkspaceFiles
  undo: UndoPoints
  /** Stored for the next server. */
  notes: Pick<Notes, 'approvals'>
}): Approvals {
  const { sessionId, files, undo, log, notes } = deps
  let approved: readonly Approval[] = notes.approvals
  const comparisons = createSerialQueue()

  function set(approvals: readonly Approval[]): void {
    approved = approvals
    notes.approvals = keptApprovals(approvals)
  }

  async function compare(askId: string): Promise<void> {
    for (const { path, outcome } of await undo.compare(askId)) {
      if (outcome !== 'differs') continue
      log.warn({ askId, path }, 'a file differs from what was approved')
      const back = `To restore the earlier files: signalbox undo ${askId} --force`
      const text = `${path} differs from what was approved: the agent wrote something else. ${back}`
      await deps.app.dispatch(
        { type: 'session.alert', id: sessionId, what: 'write_differs', text },
        { kind: 'system', name: 'acp' },
      )
    }
  }

  /** Compares each approval once. */
  function settle(isDone: (approval: Approval) => boolean): Promise<void> {
    const ids = approved.filter((approval) => !approval.over && isDone(approval)).map(({ askId }) => askId)
    set(approved.map((approval) => (ids.includes(approval.askId) ? { ...approval, over: true } : approval)))
    return compareAll(ids)
  }

  function compareAll(ids: readonly string[]): Promise<void> {
    return comparisons.run(async () => {
      for (const askId of ids) {
        await compare(askId).catch((error: unknown) => log.error({ error: String(error) }, 'failed to compare files'))
        set(approved.filter((approval) => approval.askId !== askId))
      }
    })
  }

  // Comparisons that an earlier server did not finish.
  void compareAll(approved.filter(({ over }) => over).map(({ askId }) => askId))

  return {
    async approve(askId, toolCallId, tool) {
      const edits = editsOf(tool)
      const commands = commandsOf(tool)
      const kind = tool.kind ?? 'other'
      // Approved again after a restart, it may already be used up.
      if (!approved.some((approval) => approval.askId === askId))
        set([
          ...approved,
          {
            askId,
            toolCallId,
            kind: kind === 'other' && commands.length > 0 ? 'execute' : kind,
            edits: edits.map(approvedEdit),
            commands,
            usedBy: null,
            over: false,
          },
        ])
      const paths =
        edits.length > 0 || tool.kind === 'edit' || tool.kind === 'delete' || tool.kind === 'move' ? pathsOf(tool) : []
      if (edits.length === 0 && paths.length === 0) return
      const kept = await undo.keep({ askId, sessionId, edits, paths })
      if (!kept.ok) log.warn({ askId, code: kept.fault.code }, 'failed to save an undo point')
    },
    async coversWrite(path, content) {
      const located = await files.locate(path)
      if (!located.ok) return false
      const hash = sha256(content)
      for (const { path: named, newHash, part } of approved.flatMap(({ over, edits }) => (over ? [] : edits))) {
        const place = await files.locate(named)
        if (!place.ok || place.value.path !== located.value.path) continue
        if (newHash === hash) return true
        if (part === null) continue
        const now = await files.readText(path)
        if (now.ok && replaceOnce(now.value.text, part.oldText, part.newText) === content) return true
      }
      return false
    },
    coversCommand(program, args, call) {
      const line = scriptOf([program, ...args]) ?? commandLine(program, args)
      const found = approved.find(
        ({ kind, commands, usedBy }) =>
          kind === 'execute' && (usedBy === null || usedBy === call) && commands.includes(line),
      )
      if (found) set(approved.map((approval) => (approval === found ? { ...found, usedBy: call } : approval)))
      return found !== undefined
    },
    finished(toolCallId) {
      void settle((approval) => approval.toolCallId === toolCallId && approval.edits.length > 0)
    },
    async endTurn() {
      set(approved.filter(({ edits }) => edits.length > 0))
      await settle(() => true)
    },
  }
}

/** What the person saw when they approved: the command, or the title if it is nothing but a command. */
function commandsOf({ args, title = '', kind = 'other' }: ToolContent): string[] {
  if (kind !== 'execute' && kind !== 'other') return []
  const command = (args as { command?: unknown } | null)?.command
  if (Array.isArray(command)) {
    const words = command.map(String)
    return [scriptOf(words) ?? shellLine(words)].filter((line) => line !== '')
  }
  // A title counts only for what says that it is a command.
  if (typeof command !== 'string' && kind !== 'execute') return []
  const shown = typeof command === 'string' ? [command] : [title, ...(/^\s*`([^`]+)`\s*$/.exec(title)?.slice(1) ?? [])]
  return shown.map((line) => line.trim()).filter((line) => line !== '')
}

const replaceOnce = (text: string, from: string, to: string): string => {
  const at = text.indexOf(from)
  return at < 0 ? text : `${text.slice(0, at)}${to}${text.slice(at + from.length)}`
}

/** The command an agent asks to run. Without arguments it is a shell line. */
export function commandLine(program: string, args: readonly string[]): string {
  return args.length === 0 ? program.trim() : shellLine([program, ...args])
}

const shells: readonly string[] = ['/bin/sh', '/bin/bash', '/usr/bin/sh', '/usr/bin/bash', 'sh', 'bash']

/** The script, if the command only runs one in a shell. */
export function scriptOf([program = '', ...args]: readonly string[]): string | null {
  const [option, script, ...more] = args
  const runs = shells.includes(program) && (option === '-c' || option === '-lc') && more.length === 0
  return runs && script !== undefined ? script.trim() : null
}
