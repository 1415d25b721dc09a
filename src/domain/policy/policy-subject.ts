import { readDiff, readsAsDiff } from '../../lib/diff/read-diff.ts'
import { ok } from '../../lib/result.ts'
import type { AskSubject } from '../ask/subject.ts'
import { pathsInDiff } from './diff-paths.ts'
import { isReader, looksLikeReading } from './reading-tools.ts'
import { isVisible, lineOf } from './command-words.ts'

/** What an ask is about, as far as a policy can tell. Paths are relative to the workspace and inside it. */
export type PolicySubject =
  | { kind: 'command'; command: string }
  | { kind: 'tool'; tool: string; filePath?: string; access?: 'write' }
  | { kind: 'files'; access: 'write' | 'read'; paths: string[] }
  | { kind: 'prompt'; promptType: string }

export type PolicyScope = { workspaceRoot: string }

/** What an ask is about, in terms of a policy; null if only people may decide it. */
export function policySubjectOf(subject: AskSubject, about: PolicyScope): PolicySubject | null {
  switch (subject.kind) {
    case 'diff':
      return fileSubject('write', diffPaths(subject), about)
    case 'command':
      return withoutTrailingSlash(subject.cwd) === withoutTrailingSlash(about.workspaceRoot)
        ? { kind: 'command', command: subject.command }
        : null
    case 'tool':
      return toolSubject(subject.tool, subject.input, about)
    case 'permission':
      return permissionSubject(subject.toolCall, about)
    case 'prompt':
      return { kind: 'prompt', promptType: subject.promptType }
    default:
      return null
  }
}

const withoutTrailingSlash = (path: string): string => path.replace(/(?<!\/)\/+$/, '')

function fileSubject(
  access: 'write' | 'read',
  paths: readonly string[] | null,
  about: PolicyScope,
): PolicySubject | null {
  if (paths === null || paths.length === 0) return null
  const inside = new Set<string>()
  for (const path of paths) {
    const found = insidePath(path, about.workspaceRoot)
    if (found === null) return null
    inside.add(found)
  }
  return { kind: 'files', access, paths: [...inside] }
}

/** Every file a diff concerns; null if it names a file that the ask does not list. */
function diffPaths(subject: Extract<AskSubject, { kind: 'diff' }>): string[] | null {
  const said = [subject.filePath, ...subject.files.map(({ path }) => path)]
  const named = pathsInDiff(subject.diff)
  if (named === null) return null
  if (subject.files.length === 0) {
    // The files were not listed: take the ones that would be applied.
    const read = readsAsDiff(subject.diff) ? readDiff(subject.diff, true) : ok([])
    return read.ok
      ? [...said, ...read.value.flatMap(({ from, to }) => [from, to].filter((path) => path !== null))]
      : null
  }
  return named.every(({ raw, short }) => said.includes(raw) || said.includes(short)) ? said : null
}

function toolSubject(tool: string, input: unknown, about: PolicyScope): PolicySubject | null {
  if (showsCommand(input)) return commandSubject(input, about)
  const paths = pathsInArguments(input)
  if (paths === null || paths.length > 1) return null
  const [path] = paths
  if (path === undefined) return tool === '' ? null : { kind: 'tool', tool }
  const filePath = insidePath(path, about.workspaceRoot)
  return filePath === null || tool === ''
    ? null
    : { kind: 'tool', tool, filePath, ...unusualAccess(tool, undefined, input) }
}

/** A reading tool with arguments that reading does not need counts as writing. */
const unusualAccess = (tool: string, kind: unknown, args: unknown): { access?: 'write' } =>
  !isReader(tool) || looksLikeReading(tool, kind, args) ? {} : { access: 'write' }

/** A tool call over ACP: everything it shows must be allowed. */
function permissionSubject(toolCall: unknown, about: PolicyScope): PolicySubject | null {
  const { kind, tool, args, content, locations } = fieldsOf(toolCall)
  if (kind === 'execute') return commandSubject(args, about)
  const shown = [pathsInArguments(args), pathsOfEntries(content, 'diff'), pathsOfEntries(locations, null)]
  if (showsCommand(args) || shown.some((paths) => paths === null)) return null
  const paths = shown.flatMap((some) => some ?? [])
  const hasDiff = Array.isArray(content) && content.some((entry) => fieldsOf(entry)['type'] === 'diff')
  if (kind === 'edit' || kind === 'delete' || kind === 'move') return fileSubject('write', paths, about)
  if (hasDiff) return null
  const isOne = new Set(paths.map((path) => insidePath(path, about.workspaceRoot))).size === 1
  if ((kind === 'read' || kind === 'search') && isOne && looksLikeReading(tool, kind, args))
    return fileSubject('read', paths, about)
  if (typeof tool !== 'string' || tool === '' || tool === kind || tool === 'other' || paths.length > 1) return null
  const [path] = paths
  if (path === undefined) return { kind: 'tool', tool }
  const filePath = insidePath(path, about.workspaceRoot)
  return filePath === null ? null : { kind: 'tool', tool, filePath, ...unusualAccess(tool, kind, args) }
}

export const commandKeys = ['command', 'cmd', 'commandLine', 'command_line', 'script', 'shell_command', 'argv']
const showsCommand = (input: unknown): boolean => commandKeys.some((key) => Object.hasOwn(fieldsOf(input), key))

/** Every command in the arguments of a tool, as lines. */
export const commandsIn = (input: unknown): string[] =>
  commandKeys.flatMap((key) => {
    const given = fieldsOf(input)[key]
    if (typeof given === 'string') return given === '' ? [] : [[given, ...wordsOf(fieldsOf(input))].join(' ')]
    if (!Array.isArray(given)) return []
    const words = given.map(String)
    return words.length === 0 ? [] : [scriptOf(words) ?? lineOf(words)]
  })

/** Arguments given separately from the command. */
const wordsOf = ({ args, arguments: more }: Record<string, unknown>): string[] => {
  const given = [args, more].find((one) => Array.isArray(one) && one.every((word) => typeof word === 'string'))
  return Array.isArray(given) && given.length > 0 ? [lineOf(given)] : []
}

/** One command line or one list of words, run in the workspace, without further input or environment. */
function commandSubject(input: unknown, about: PolicyScope): PolicySubject | null {
  const fields = fieldsOf(input)
  const given = commandKeys.flatMap((key) => (Object.hasOwn(fields, key) ? [fields[key]] : []))
  const [only] = given
  if (given.length !== 1) return null
  const elsewhere = ['cwd', 'workdir', 'working_directory', 'workingDirectory', 'directory', 'dir'].some((key) => {
    const where = fields[key]
    return where !== undefined && where !== null && where !== '' && where !== '.' && !isRoot(where, about)
  })
  const further = ['env', 'environment', 'args', 'arguments', 'stdin', 'input', 'shell'].some(
    (key) => !isEmpty(fields[key]),
  )
  // The same command with more privileges must be asked about.
  const raised = Object.entries(fields).some(
    ([key, value]) => privilegeKeys.test(key) && value !== false && !isEmpty(value),
  )
  if (elsewhere || further || raised) return null
  if (typeof only === 'string') return { kind: 'command', command: only }
  if (!Array.isArray(only) || only.length === 0 || !only.every((word) => typeof word === 'string')) return null
  return { kind: 'command', command: scriptOf(only) ?? lineOf(only) }
}

const shells = ['sh', 'bash', '/bin/sh', '/bin/bash', '/usr/bin/sh', '/usr/bin/bash']

/** The script of `sh -c SCRIPT`, which is how agents often run one line; the script itself is judged. */
function scriptOf([program = '', option, script, ...more]: readonly string[]): string | null {
  const runs = shells.includes(program) && (option === '-c' || option === '-lc') && more.length === 0
  return runs && script !== undefined ? script : null
}

const privilegeKeys = /sandbox|escalat|privilege|permission|danger|elevat|sudo|network/i

const isRoot = (path: unknown, { workspaceRoot }: PolicyScope): boolean =>
  typeof path === 'string' && withoutTrailingSlash(path) === withoutTrailingSlash(workspaceRoot)

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const pathKey =
  /(^|_)(path|pathname|file|file_?path|file_?name|directory|dir|folder|source|destination|src|dest|target|uri)s?$/
const deepest = 6

const nameOf = (key: string): string => key.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()

/** Whether an argument holds a path, judged by its name. */
export const isPathKey = (key: string): boolean => pathKey.test(nameOf(key))

/** Every path in the arguments, at any depth; null if one can't be determined. */
export function pathsInArguments(args: unknown, depth = 0): string[] | null {
  if (depth > deepest) return null
  const found: string[] = []
  const add = (paths: readonly string[] | null): boolean => paths !== null && found.push(...paths) >= 0
  for (const [key, value] of Object.entries(fieldsOf(args))) {
    const name = nameOf(key)
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (name === 'changes') found.push(...Object.keys(fieldsOf(value)))
    if (['patch', 'diff', 'input'].includes(name) && typeof value === 'string') {
      if (!add(pathsInDiff(value)?.map(({ short }) => short) ?? null)) return null
    } else if (pathKey.test(name) && !isEmpty(value)) {
      for (const item of items)
        if (!add(typeof item === 'string' ? [item.replace(/^file:\/\//, '')] : null)) return null
    } else for (const item of items) if (!add(pathsInArguments(item, depth + 1))) return null
  }
  return found
}

/** Paths of locations, or of the diffs in the content; null if an entry has no path. */
function pathsOfEntries(entries: unknown, type: 'diff' | null): string[] | null {
  if (isEmpty(entries)) return []
  if (!Array.isArray(entries)) return null
  const wanted = entries.map(fieldsOf).filter((entry) => type === null || entry['type'] === type)
  const paths = wanted.map((entry) => entry['path'])
  return paths.every((path) => typeof path === 'string') ? paths : null
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Record<string, unknown> => (isPlainObject(value) ? { ...value } : {})

/** The path relative to the workspace; null unless it is plainly a file inside. */
function insidePath(path: string, workspaceRoot: string): string | null {
  if (path.length > 1024 || path.includes('\\') || !isVisible(path)) return null
  const root = withoutTrailingSlash(workspaceRoot)
  if (path.startsWith('/') && !path.startsWith(`${root}/`)) return null
  const relative = path.startsWith('/') ? path.slice(root.length + 1) : path
  if (relative === '' || relative.endsWith('/') || /^(~|[A-Za-z]:)/.test(relative)) return null
  const names = relative.split('/').filter((name) => name !== '.')
  // Where `..` leads depends on links, which a policy does not see.
  const isOdd = (name: string) => name === '' || name === '..' || name !== name.trim() || name.length > 255
  return names.length === 0 || names.some(isOdd) ? null : names.join('/')
}
