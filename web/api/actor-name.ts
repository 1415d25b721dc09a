import { safeText } from '../ui/safe-text.ts'

/** Who did something, as people say it: `user:<id>`, `policy:<rule>`, `agent:<id>`, `system:<part>`. */
export const actorName = (actor: string, names: ReadonlyMap<string, string>): string => safeText(rawWords(actor, names))

function rawWords(actor: string, names: ReadonlyMap<string, string>): string {
  const [kind = '', ...rest] = actor.split(':')
  const what = rest.join(':')
  if (kind === 'user' || kind === 'person') return names.get(what) ?? `somebody (${what.slice(0, 8)})`
  if (kind === 'policy') return `policy (${what})`
  if (kind === 'agent') return names.has(what) ? `an agent of ${names.get(what)}` : 'an agent'
  if (kind === 'system') return what === 'clock' ? 'the clock' : `Signalbox (${what})`
  return actor
}
