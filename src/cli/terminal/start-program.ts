import { closeSync, openSync, readSync } from 'node:fs'
import { programName } from '../program-name.ts'
import type { TerminalContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { isWholeId, shortId } from '../ids.ts'
import { cleanLine } from '../clean-text.ts'
import { maskSecretWords } from '../../lib/secret-words.ts'
import type { DetachKeys } from './detach-keys.ts'
import { attachToChild } from './attach-to-child.ts'
import { failureOf, reachKeeper, type TerminalLabel } from './reach-keeper.ts'
import { ownTerminal } from './own-terminal.ts'
import { registerWithServer, type Registration } from './register-terminal.ts'

export type ProgramToStart = {
  argv: readonly [string, ...string[]]
  type: TerminalLabel['type']
  name: string | undefined
  host?: string | undefined
  user?: string | undefined
}

/** Exit codes as in a shell; the first code comes from older keepers. */
const shellCodes: Readonly<Record<string, number>> = {
  agent_not_found: 127,
  program_not_found: 127,
  program_not_executable: 126,
  spawn_failed: 126,
}
const longestName = 200

/** Has the keeper start a program in its own terminal, tells the server, and attaches. */
export async function startProgram(
  context: TerminalContext,
  program: ProgramToStart,
  how: { detach: boolean; detachKeys: DetachKeys },
): Promise<number> {
  if ((program.name?.length ?? 0) > longestName)
    throw wrongUsage(`--name has at most ${longestName} characters.`, 'Give a shorter one.')
  const session = newSession()
  const own = ownTerminal()
  const keeper = await reachKeeper(context, true)
  const spawned = await keeper.spawn({
    id: session,
    argv: program.argv,
    cwd: process.cwd(),
    env: environment(context.env, session),
    label: labelOf(program, session, context.env),
    output: 'acknowledged',
    pty: { ...own.size(), ...(await own.likeness()) },
    umask: umaskNow(),
  })
  if (!spawned.ok) {
    await keeper[Symbol.asyncDispose]()
    const { code, message } = spawned.fault
    const shellCode = shellCodes[code]
    if (shellCode === undefined) throw failureOf(spawned.fault)
    context.out.note(`signalbox: ${cleanLine(message)}`)
    return shellCode
  }
  const told = registerWithServer(context, session)
  if (how.detach) {
    await keeper[Symbol.asyncDispose]()
    sayStarted(context, session, await told)
    return 0
  }
  const { detachKeys } = how
  const code = await attachToChild({ context, keeper, childId: session, session, from: 0, detachKeys, visits: false })
  const heard = await told
  if (heard.kind === 'refused') context.out.note(`Not watched: ${cleanLine(heard.why)}`)
  return code
}

/** An id of version 4. Loading Node's crypto for it would take longer than all the rest. */
function newSession(): string {
  const bytes = randomBytes(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function randomBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count)
  try {
    const source = openSync('/dev/urandom', 'r')
    const read = readSync(source, bytes)
    closeSync(source)
    if (read === count) return bytes
  } catch {
    // Not on this system.
  }
  return process.getBuiltinModule('node:crypto').randomBytes(count)
}

/** It can only be read by setting it. */
function umaskNow(): number {
  const mask = process.umask(0o077)
  process.umask(mask)
  return mask
}

/** The program gets a terminal even if we have none. */
const usualTerminal = 'xterm-256color'

/** Our environment, plus the terminal's id, so that programs started in it know their parent. */
function environment(env: NodeJS.ProcessEnv, session: string): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { TERM: usualTerminal, ...Object.fromEntries(entries), SIGNALBOX_SESSION: session }
}

function labelOf(
  { argv, type, name, host, user }: ProgramToStart,
  session: string,
  env: NodeJS.ProcessEnv,
): TerminalLabel {
  const parent = env['SIGNALBOX_SESSION'] ?? ''
  return {
    kind: 'terminal',
    session,
    type,
    command: JSON.stringify(maskSecretWords(argv, { all: true })),
    cwd: process.cwd(),
    ...(name !== undefined && { name }),
    ...(host !== undefined && { host }),
    ...(user !== undefined && { user }),
    ...(isWholeId(parent) && { parent }),
  }
}

function sayStarted(context: TerminalContext, session: string, told: Registration): void {
  if (context.json) return context.out.json({ sessionId: session, watched: told.kind === 'told' })
  const short = shortId(session)
  context.out.print(
    [
      `Terminal ${session} has started.`,
      `  Attach:     ${programName()} attach ${short}`,
      ...(told.kind === 'told'
        ? [
            `  View:       ${programName()} terminals show ${short}`,
            `  Hang up:    ${programName()} terminals end ${short}`,
          ]
        : []),
    ].join('\n'),
  )
  if (told.kind === 'nobody') context.out.note(`No server is running. To watch it, start one: ${programName()} serve`)
  if (told.kind === 'refused') context.out.note(`Not watched: ${cleanLine(told.why)}`)
}
