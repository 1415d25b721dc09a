import type { AskSubject } from '../ask/subject.ts'
import { pathsInDiff } from '../policy/diff-paths.ts'
import { commandsIn, fieldsOf, isPathKey } from '../policy/policy-subject.ts'
import { isReader } from '../policy/reading-tools.ts'
import { judgeCommand } from './command.ts'
import { finding, sumUp, type Finding, type RiskVerdict } from './finding.ts'
import { judgeRead, judgeWrite, type RiskScope } from './paths.ts'

/** What an ask could do, judged without trusting the agent. Used to route and show asks, never to allow them. */
export function judgeRisk(subject: AskSubject, place: RiskScope): RiskVerdict {
  return sumUp(findingsOf(subject, place))
}

function findingsOf(subject: AskSubject, place: RiskScope): Finding[] {
  switch (subject.kind) {
    case 'command':
      return judgeCommand(subject.command, place)
    case 'diff':
      return judgeDiff(subject, place)
    case 'tool':
      return judgeTool(subject.tool, subject.input, place)
    case 'permission':
      return judgePermission(subject.toolCall, place)
    case 'terminal_prompt':
      return subject.dangerous ? [finding('high', subject.dangerReason ?? 'answers a dangerous prompt')] : []
    case 'packages':
      return [finding('high', 'installs packages, which can run programs')]
    case 'mcp_server':
      return [finding('high', 'adds a program that the agent can use')]
    case 'credential':
      return [finding('high', 'gives the agent a credential')]
    case 'create_agent':
      return [finding('high', 'creates an agent that works on its own')]
    case 'admin_command':
      return [finding('high', 'changes the settings of an agent group')]
    default:
      return []
  }
}

const manyFiles = 10
const manyLines = 5000

function judgeDiff(
  { filePath, diff, files, preview }: Extract<AskSubject, { kind: 'diff' }>,
  place: RiskScope,
): Finding[] {
  const named = pathsInDiff(diff)
  const paths = new Set([filePath, ...files.map(({ path }) => path), ...(named ?? []).map(({ short }) => short)])
  const shown = preview ?? diff
  const deleted = shown.match(/^(deleted file mode |\+\+\+ \/dev\/null|\*\*\* Delete File: )/gm)?.length ?? 0
  const lines = shown.match(/^[+-]/gm)?.length ?? 0
  return [
    ...(named === null ? [finding('high', "is a change that Signalbox can't parse")] : []),
    ...(deleted >= manyFiles ? [finding('high', `deletes ${manyFiles} or more files`)] : []),
    ...(lines > manyLines ? [finding('high', `changes more than ${manyLines} lines`)] : []),
    ...judgeEach(paths, (path) => judgeWrite(path, place, true)),
  ]
}

const mostPaths = 1000

/** Paths beyond the limit are not judged, so many paths are critical. */
const judgeEach = (paths: ReadonlySet<string>, judge: (path: string) => Finding[]): Finding[] => [
  ...[...paths].slice(0, mostPaths).flatMap(judge),
  ...(paths.size > mostPaths ? [finding('critical', `names more than ${mostPaths} paths`)] : []),
]

/** Every path in the arguments of a tool; arguments that can't be parsed do not hide others. */
function pathsNamed(args: unknown, into = new Set<string>()): Set<string> {
  for (const [key, value] of Object.entries(fieldsOf(args))) {
    if (key === 'changes') for (const path of Object.keys(fieldsOf(value))) into.add(path)
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item !== 'string') pathsNamed(Array.isArray(item) ? { [key]: item } : item, into)
      else if (isPathKey(key)) into.add(item.replace(/^file:\/\//, ''))
      else if (/^(patch|diff|input)$/i.test(key)) for (const { short } of pathsInDiff(item) ?? []) into.add(short)
    }
  }
  return into
}

const unreadableFindings = (args: unknown): Finding[] =>
  Object.entries(fieldsOf(args)).some(
    ([key, value]) => /^(patch|diff)$/i.test(key) && typeof value === 'string' && pathsInDiff(value) === null,
  )
    ? [finding('high', "is a change that Signalbox can't parse")]
    : []

/** A tool call over ACP, judged by everything it shows. */
function judgePermission(toolCall: unknown, place: RiskScope): Finding[] {
  const { kind, tool, args, content, locations, title } = fieldsOf(toolCall)
  const commands = commandsIn(args)
  // Some agents show the command only in the title.
  if (kind === 'execute' && commands.length === 0 && typeof title === 'string')
    commands.push(title.replace(/^\s*`([^`]+)`\s*$/s, '$1'))
  const runs = commands.flatMap((command) => judgeCommand(command, place))
  if (kind === 'execute') return [...runs, ...privilegeFindings(args)]
  const edits = entriesOf(content).filter(({ type }) => type === 'diff')
  const shown = [...edits, ...entriesOf(locations)].flatMap(({ path }) => (typeof path === 'string' ? [path] : []))
  const paths = new Set([...pathsNamed(args), ...shown])
  const writes = edits.length > 0 || kind === 'edit' || kind === 'delete' || kind === 'move'
  const reads = kind === 'read' || kind === 'search' || (typeof tool === 'string' && isReader(tool))
  return [
    ...runs,
    ...privilegeFindings(args),
    ...unreadableFindings(args),
    ...(kind === 'delete' && paths.size >= manyFiles ? [finding('high', `deletes ${manyFiles} or more files`)] : []),
    ...judgeEach(paths, (path) => (writes || !reads ? judgeWrite(path, place, true) : judgeRead(path, place, true))),
    ...(typeof tool === 'string' && !writes && !reads ? judgeToolName(tool) : []),
  ]
}

function judgeTool(tool: string, input: unknown, place: RiskScope): Finding[] {
  const reads = isReader(tool)
  const paths = pathsNamed(input)
  return [
    ...commandsIn(input).flatMap((command) => judgeCommand(command, place)),
    ...privilegeFindings(input),
    ...unreadableFindings(input),
    ...judgeEach(paths, (path) => (reads ? judgeRead(path, place, true) : judgeWrite(path, place, true))),
    ...(reads ? [] : judgeToolName(tool)),
  ]
}

const privilegeKeys =
  /^(with_?escalated_?permissions|dangerously.*|privileged|elevated|disable_?sandbox|bypass.*|sandbox_?permissions)$/i

/** More privileges are more risk. */
const privilegeFindings = (args: unknown): Finding[] =>
  Object.entries(fieldsOf(args)).some(
    ([key, value]) => privilegeKeys.test(key) && (value === true || /escalat|danger|disable|none/i.test(String(value))),
  )
    ? [finding('high', 'asks for more privileges, or to run outside a sandbox')]
    : []

const harmfulVerbs = new Set(
  'delete destroy drop purge wipe erase publish deploy transfer pay refund shutdown reboot'.split(' '),
)

/** Of an unknown tool, only the name is known. */
const judgeToolName = (tool: string): Finding[] =>
  tool
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => harmfulVerbs.has(word))
    ? [finding('high', 'is a tool whose name suggests that it deletes or publishes')]
    : []

const entriesOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
