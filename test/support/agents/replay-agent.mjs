// Plays the agent's side of a recording in test/fixtures/acp: node replay-agent.mjs FILE... [--speed N] [--log FILE]
//   FILE...       of several recordings, the first that opens its session as the client does (new, load, resume)
//   --speed N     the recorded pauses, N times quicker; without it there are none
//   --log FILE    every message of both sides is appended to FILE, in the form of a recording
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

/** @typedef {{ id?: string | number, method?: string, params?: { cwd?: string }, cwd?: string }} Message */
/** @typedef {{ ms: number, dir: 'c>a' | 'a>c' | 'note', msg: Message }} Frame */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { speed: { type: 'string' }, log: { type: 'string' } },
})
const recordings = positionals.map(read)
let [frames = []] = recordings
const recordedCwd = frames.find(({ dir }) => dir === 'note')?.msg.cwd ?? ''

const opening = ['session/new', 'session/load', 'session/resume']
/** What every client sends; the rest it may leave out although the recorded one sent it. */
const spine = ['initialize', ...opening, 'session/prompt', 'session/cancel']

/** @type {Message[]} */
const inbox = []
/** @type {Map<unknown, unknown>} */
const realIds = new Map()
let cwd = recordedCwd
let opened = false
/** @type {(value?: unknown) => void} */
let wake = () => undefined
let elapsed = 0
const begun = Date.now()

createInterface({ input: process.stdin })
  .on('line', (line) => {
    note('c>a', line)
    inbox.push(JSON.parse(line))
    wake()
  })
  .on('close', () => process.exit(0))

for (let next = frames.shift(); next; next = frames.shift()) {
  const { ms, dir, msg } = next
  if (values.speed) await pause(Math.max(0, ms - elapsed) / Number(values.speed))
  elapsed = ms
  if (dir === 'a>c') say(msg)
  else if (dir === 'c>a' && msg.method !== undefined) await meet(msg)
  else if (dir === 'c>a') await heard((got) => got.method === undefined && got.id === msg.id)
}
for (;;) refuse(await heard((got) => got.method !== undefined))

/** @param {string} file @returns {Frame[]} */
function read(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return oneTurnAtATime(lines.map((line) => JSON.parse(line)))
}

/** A client that prompts again only after the end of a turn is served too. @param {Frame[]} all */
function oneTurnAtATime(all) {
  /** @type {Frame[]} */
  const ordered = []
  /** @type {Frame[]} */
  const early = []
  /** @type {unknown} */
  let turn
  for (const frame of all) {
    const { dir, msg } = frame
    const prompts = dir === 'c>a' && msg.method === 'session/prompt'
    if (prompts && turn !== undefined) early.push(frame)
    else ordered.push(frame)
    if (prompts) turn ??= msg.id
    if (dir === 'a>c' && msg.method === undefined && msg.id === turn) {
      turn = early[0]?.msg.id
      ordered.push(...early.splice(0, 1))
    }
  }
  // A prompt the agent never answered is waited for at the very end.
  return [...ordered, ...early]
}

/** @param {Message} msg */
function say(msg) {
  const answers = msg.method === undefined
  if (answers && !realIds.has(msg.id)) return
  const line = JSON.stringify(answers ? { ...msg, id: realIds.get(msg.id) } : msg)
  write(line.replaceAll(recordedCwd || '\n', JSON.stringify(cwd).slice(1, -1)))
}

/** @param {string} line */
function write(line) {
  note('a>c', line)
  process.stdout.write(`${line}\n`)
}

/** @param {string} dir @param {string} line */
function note(dir, line) {
  if (values.log) appendFileSync(values.log, `{"ms":${Date.now() - begun},"dir":"${dir}","msg":${line}}\n`)
}

/** Waits for the client's message of this method, or for a later one where this may be left out.
 * @param {Message} expected */
async function meet(expected) {
  const method = expected.method ?? ''
  const optional = !spine.includes(method) || (method === 'session/prompt' && !opened)
  const got = await heard((one) => {
    if (one.method === undefined) return false
    if (one.method === method) return true
    if (comes(frames, one.method)) return optional
    if (opening.includes(one.method) && recordings.some((other) => comes(other, one.method))) return true
    refuse(one)
    return 'drop'
  })
  if (got.method === method) {
    cwd = got.params?.cwd ?? cwd
    opened ||= opening.includes(method)
    if (expected.id !== undefined) realIds.set(expected.id, got.id)
    return
  }
  inbox.unshift(got)
  if (!comes(frames, got.method)) turnTo(got.method)
}

/** Goes on in the recording that opens its session in this way. @param {string | undefined} method */
function turnTo(method) {
  const other = recordings.find((one) => comes(one, method)) ?? []
  frames = other.slice(other.findIndex(({ msg }) => msg.method === method))
}

/** Whether the recorded client sends this later. @param {Frame[]} later @param {string | undefined} method */
function comes(later, method) {
  return later.some(({ dir, msg }) => dir === 'c>a' && msg.method === method)
}

/** Takes the first message that fits out of the inbox, waiting where there is none.
 * @param {(got: Message) => boolean | 'drop'} fits @returns {Promise<Message>} */
async function heard(fits) {
  for (;;) {
    for (const got of inbox.slice()) {
      const verdict = fits(got)
      if (verdict) inbox.splice(inbox.indexOf(got), 1)
      if (verdict === true) return got
    }
    await new Promise((resolve) => {
      wake = resolve
    })
  }
}

/** What the recording knows nothing of; a notification needs no answer. @param {Message} got */
function refuse(got) {
  if (got.id === undefined) return
  const error = { code: -32601, message: `The recording has no ${got.method} at this point.` }
  write(JSON.stringify({ jsonrpc: '2.0', id: got.id, error }))
}
