import * as z from 'zod'
import type { RiskLevel } from '../domain/ask/schema.ts'
import type { AskSubject } from '../domain/ask/subject.ts'
import { Json } from '../lib/json.ts'
import type { Looked } from '../lib/look-at-file.ts'
import { unifiedDiff } from '../lib/unified-diff.ts'

/** A tool Claude Code wants to use, as its hooks and permission prompt report it. */
export type ToolUse = { readonly tool: string; readonly input: unknown }

/** The workspace, and how to read its files. */
export type ToolPlace = {
  /** With links resolved. */
  readonly workspaceRoot: string
  readonly cwd: string
  look(path: string): Promise<Looked>
}

export type ToolAsk = {
  readonly title: string
  readonly description: string | null
  readonly riskLevel: RiskLevel
  readonly subject: AskSubject
}

const Bash = z.object({
  command: z.string(),
  description: z.string().optional(),
  run_in_background: z.boolean().optional(),
  dangerouslyDisableSandbox: z.boolean().optional(),
})
const OneEdit = z.object({ old_string: z.string(), new_string: z.string(), replace_all: z.boolean().optional() })
const Edits = z.union([
  z.object({ file_path: z.string(), edits: z.array(OneEdit).min(1) }),
  OneEdit.extend({ file_path: z.string() }).transform(({ file_path, ...edit }) => ({ file_path, edits: [edit] })),
])
const Write = z.object({ file_path: z.string(), content: z.string() })
const Plan = z.object({ plan: z.string() })

/** The ask for a person: a command, a diff, or the tool with its input. */
export async function askOfToolUse(use: ToolUse, place: ToolPlace): Promise<ToolAsk> {
  switch (use.tool) {
    case 'Bash':
      return askOfCommand(use, place)
    case 'Write':
      return askOfWrite(use, place)
    case 'Edit':
    case 'MultiEdit':
      return askOfEdits(use, place)
    default:
      return askOfTool(use)
  }
}

function askOfCommand(use: ToolUse, { cwd }: ToolPlace): ToolAsk {
  const read = Bash.safeParse(use.input)
  if (!read.success || read.data.command.trim() === '') return askOfTool(use)
  const { command, description, run_in_background: background, dangerouslyDisableSandbox: unconfined } = read.data
  const notes = [
    description,
    background && 'It keeps running in the background.',
    unconfined && 'Runs outside the sandbox.',
  ]
  return {
    title: titled('Run', command),
    description: notes.filter(Boolean).join('\n') || null,
    riskLevel: unconfined ? 'high' : 'low',
    subject: { kind: 'command', command, cwd },
  }
}

async function askOfWrite(use: ToolUse, place: ToolPlace): Promise<ToolAsk> {
  const read = Write.safeParse(use.input)
  if (!read.success) return askOfTool(use)
  const { file, text, opaque } = await found(read.data.file_path, place)
  if (opaque) return askOfFile(use, file)
  return askOfDiff(use, file, text === null ? 'Create' : 'Overwrite', text, read.data.content)
}

async function askOfEdits(use: ToolUse, place: ToolPlace): Promise<ToolAsk> {
  const read = Edits.safeParse(use.input)
  if (!read.success) return askOfTool(use)
  const { file, text, opaque } = await found(read.data.file_path, place)
  const after = edited(text, read.data.edits)
  if (opaque || after === null) return askOfFile(use, file)
  return askOfDiff(use, file, text === null ? 'Create' : 'Edit', text, after)
}

/** `opaque`: the file can't be shown as text. */
type ToolMatch = { file: LocatedPath; text: string | null; opaque: boolean }

async function found(name: string, place: ToolPlace): Promise<ToolMatch> {
  const { real, exists, text } = await place.look(absolutePath(name, place.cwd))
  return { file: locate(real, place.workspaceRoot), text, opaque: exists && text === null }
}

const longestDiff = 4_000_000

function askOfDiff(use: ToolUse, file: LocatedPath, verb: string, before: string | null, after: string): ToolAsk {
  const diff = unifiedDiff(file.shown, before, after)
  if (diff === '' || diff.length > longestDiff) return askOfFile(use, file)
  return {
    title: titled(verb, file.shown),
    description: file.inside ? null : 'The file is outside the workspace.',
    riskLevel: riskOf(file),
    subject: { kind: 'diff', filePath: file.shown, diff, files: [] },
  }
}

/** Without a diff, the tool's input shows what it does. */
const askOfFile = (use: ToolUse, file: LocatedPath): ToolAsk => ({
  ...askOfTool(use),
  title: titled(`Use ${use.tool} on`, file.shown),
  riskLevel: riskOf(file),
})

/** Files that control the agent are never changed by a rule, only by people. */
const riskOf = (file: LocatedPath): RiskLevel => (file.inside && !file.guards ? 'low' : 'critical')

function askOfTool({ tool, input }: ToolUse): ToolAsk {
  const plan = tool === 'ExitPlanMode' ? Plan.safeParse(input) : null
  const kept = Json.safeParse(input)
  return {
    title: plan?.success ? 'Begin with the plan' : titled('Use', tool),
    description: plan?.success ? plan.data.plan.slice(0, 100_000) : null,
    riskLevel: 'low',
    subject: { kind: 'tool', tool: tool.slice(0, 10_000), input: kept.success ? kept.data : null },
  }
}

/** The text after the edits, or null if they do not apply; Claude Code reports that itself. */
function edited(before: string | null, edits: readonly z.infer<typeof OneEdit>[]): string | null {
  let text = before ?? ''
  for (const { old_string: old, new_string: changed, replace_all: all = false } of edits) {
    if (old === '') {
      if (text !== '') return null
      text = changed
      continue
    }
    // Claude Code shows files without carriage returns, and searches them that way.
    if (!text.includes(old)) text = text.replaceAll('\r\n', '\n')
    if (!text.includes(old)) return null
    text = all ? text.replaceAll(old, () => changed) : text.replace(old, () => changed)
  }
  return text
}

const longestTitle = 200

function titled(verb: string, what: string): string {
  const line = `${verb} ${what.trim().replaceAll(/\s+/g, ' ')}`
  return line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1)}…`
}

/** Location of a file. */
type LocatedPath = {
  /** Relative to the workspace, if inside it. */
  readonly shown: string
  readonly inside: boolean
  /** It controls what the agent may do: Claude Code settings, a policy, Git hooks. */
  readonly guards: boolean
}

function locate(real: string, workspaceRoot: string): LocatedPath {
  const [path, root] = [plainly(real), plainly(workspaceRoot)]
  const inside = path.startsWith(root === '/' ? '/' : `${root}/`)
  const shown = inside ? path.slice(root === '/' ? 1 : root.length + 1) : path
  const guards = shown.split('/').some((part) => guarding.includes(part.toLowerCase()))
  return { shown, inside, guards }
}

const guarding = ['.claude', '.signalbox', '.monocoque', '.git', '.mcp.json']

/** Makes a tool's path absolute. */
const absolutePath = (name: string, cwd: string): string => plainly(isAbsolute(name) ? name : `${cwd}/${name}`)

const isAbsolute = (path: string): boolean => /^(\/|[A-Za-z]:[\\/])/.test(path)

/** Normalized path: slashes, no `.` and `..`. */
function plainly(path: string): string {
  const drive = /^[A-Za-z]:/.exec(path)?.[0] ?? ''
  const parts: string[] = []
  const words = drive === '' ? path : path.slice(drive.length).replaceAll('\\', '/')
  for (const part of words.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `${drive}/${parts.join('/')}`
}
