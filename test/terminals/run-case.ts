import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from '../support/api.ts'
import { until } from '../support/until.ts'
import type { Case, Moment, Spot } from './case.ts'
import type { Place } from './place.ts'
import { startTerminal, type Detection, type Heard, type Terminal } from './terminal.ts'
import { isRaw } from './tty.ts'

/** One moment: the truth, the verdict, and other deviations. */
export type Measured = {
  truth: Moment['is']
  /** A fresh look, and what the server reported on its own. */
  asked: Detection['state']
  reported: Detection['state']
  right: boolean
  /** From the last byte to the verdict as received here. */
  latencyMs: number | null
  decidedBy: string
  understood: string[]
  evidence: string
}

export type Result = { of: Case; moments: Measured[]; raw: boolean | null; fault: string | null }

const patience = 5
const steadyMs = 400
const workMs = 1500
const turnMs = 100
/** An answered prompt may still be visible for this long. */
const graceMs = 300

export async function runCase(of: Case, place: Place, api: Api): Promise<Result> {
  const result: Result = { of, moments: [], raw: null, fault: null }
  try {
    const cwd = place.folder()
    const spot: Spot = {
      place,
      cwd,
      account: place.account ?? { name: '', password: '', home: '', [Symbol.dispose]() {} },
    }
    of.prepare?.(spot)
    await using terminal = await startTerminal(api, { ...startOf(of, spot), name: of.name.slice(0, 200) })
    for (const [index, moment] of of.moments.entries()) {
      await shown(terminal, moment)
      result.moments.push(await measure(terminal, moment, index === 0))
      if (index === 0 && of.raw) result.raw = isRaw(terminal.id)
      const keys = keysOf(moment, spot)
      if (keys.length > 0) await terminal.keys(keys)
    }
  } catch (error) {
    result.fault = error instanceof Error ? error.message : String(error)
  }
  return result
}

function startOf({ ssh, command }: Case, spot: Spot): Record<string, unknown> {
  if (!ssh) return { sessionType: 'script', command: command?.(spot), cwd: spot.cwd }
  const words = ssh.command.length > 0 ? { command: ssh.command } : {}
  return { sessionType: 'ssh', host: ssh.host, cwd: spot.cwd, ...words }
}

function keysOf({ line, keys = [] }: Moment, { account }: Spot): string[] {
  return line === undefined ? [...keys] : [...letters(line.replace('<password>', account.password)), 'enter']
}

const letters = (text: string): string[] => text.match(/./gu) ?? []

async function shown(terminal: Terminal, { shows }: Moment): Promise<void> {
  let screen = ''
  const look = async () => {
    // At the moment a program ends there may be no screen.
    screen = await terminal.screen().catch(() => screen)
    return shows.test(screen)
  }
  await until(look, { seconds: 20 }).catch(() => {
    throw new Error(`${shows} was never shown; the screen is:\n${screen.trimEnd()}`)
  })
}

async function measure(terminal: Terminal, moment: Moment, isFirst: boolean): Promise<Measured> {
  if (moment.is === 'waiting') return waits(terminal, moment)
  if (moment.is === 'exited') return ends(terminal)
  if (moment.is === 'either') await pause(steadyMs)
  return worksOn(terminal, moment, isFirst)
}

const isAbout = ({ prompt }: Moment, { waiting, promptText }: Detection) =>
  waiting && (prompt === undefined || prompt.test(promptText))

async function waits(terminal: Terminal, moment: Moment): Promise<Measured> {
  const since = Date.now()
  const seen = async () => {
    const reported = await terminal.reported()
    return reported?.waiting && (isAbout(moment, reported) || Date.now() - since > 1000)
  }
  await until(seen, { seconds: patience }).catch(() => undefined)
  await pause(steadyMs)
  const reported = await terminal.reported()
  const asked = await terminal.detection()
  const right = reported?.waiting === true && asked.waiting
  return {
    ...about('waiting', asked, reported?.state ?? 'working', right),
    latencyMs: latencyOf(terminal.heard, asked.promptId),
    understood: right ? misunderstood(moment, asked) : [],
  }
}

/** Counted from the last byte of the prompt; a wait that began later has none. */
function latencyOf(heard: readonly Heard[], promptId: string | null): number | null {
  const first = heard.find(({ detection }) => detection.promptId !== null && detection.promptId === promptId)
  return first ? first.at - Date.parse(first.detection.timestamp) : null
}

function misunderstood(moment: Moment, { promptType, promptText, secret }: Detection): string[] {
  const types = moment.type === undefined ? null : [moment.type].flat()
  const wrong: string[] = []
  if (types && !types.includes(promptType)) wrong.push(`type ${promptType}, not ${types.join(' or ')}`)
  if (moment.secret !== undefined && secret !== moment.secret) wrong.push(`secret ${secret}`)
  if (moment.prompt && !moment.prompt.test(promptText)) wrong.push(`prompt ${JSON.stringify(promptText)}`)
  return wrong
}

async function ends(terminal: Terminal): Promise<Measured> {
  const seen = async () => (await terminal.reported())?.state === 'exited'
  await until(seen, { seconds: patience }).catch(() => undefined)
  const asked = await terminal.detection()
  return about('exited', asked, (await terminal.reported())?.state ?? 'working', asked.state === 'exited')
}

/** Checked repeatedly; a single report of waiting is a false alarm. */
async function worksOn(terminal: Terminal, moment: Moment, isFirst: boolean): Promise<Measured> {
  const from = isFirst ? 0 : Date.now() + graceMs
  if (!isFirst) await pause(graceMs)
  const end = Date.now() + workMs
  let asked = await terminal.detection()
  let reported = (await terminal.reported()) ?? asked
  while (Date.now() < end && !asked.waiting && !reported.waiting) {
    await pause(turnMs)
    asked = await terminal.detection()
    reported = (await terminal.reported()) ?? asked
  }
  const alarm = terminal.heard.find(({ at, detection }) => at >= from && detection.waiting)
  if (alarm) reported = alarm.detection
  return about(moment.is, reported.waiting ? reported : asked, reported.state, !asked.waiting && !reported.waiting)
}

function about(truth: Moment['is'], asked: Detection, reported: Detection['state'], right: boolean): Measured {
  const evidence = asked.evidence.map(({ signal, says, detail }) => `${signal} says ${says}: ${detail}`).join('; ')
  return {
    truth,
    asked: asked.state,
    reported,
    right,
    latencyMs: null,
    decidedBy: asked.decidedBy,
    understood: [],
    evidence: `${JSON.stringify(asked.promptText)}; ${evidence}`,
  }
}
