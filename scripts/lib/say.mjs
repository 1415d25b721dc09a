import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** An error that people can fix: printed without a stack trace. */
export class Refusal extends Error {}

/** Progress goes to stderr, so that `./signalbox … --json` stays clean for programs. @param {string} text */
export function say(text) {
  process.stderr.write(`${text}\n`)
}

/** @param {number} since a `Date.now()` */
export function seconds(since) {
  const spent = (Date.now() - since) / 1000
  return `${spent < 10 ? spent.toFixed(1) : Math.round(spent)} s`
}

/**
 * Shows progress of slow work: a live counter on a terminal, a line now and then elsewhere.
 * @param {string} text
 * @returns {() => void} ends it
 */
export function progress(text) {
  const started = Date.now()
  const live = process.stderr.isTTY
  if (!live) say(`${text} …`)
  const tick = () => {
    if (live) process.stderr.write(`\r${text} … ${Math.round((Date.now() - started) / 1000)} s `)
    else say(`  still at it after ${seconds(started)}`)
  }
  if (live) tick()
  const timer = setInterval(tick, live ? 1000 : 15_000)
  return () => {
    clearInterval(timer)
    if (live) process.stderr.write('\r\u001b[K')
  }
}
