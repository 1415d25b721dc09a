import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Json } from '../../lib/json.ts'
import type { Ask, Circle } from './schema.ts'
import type { GroupSubject } from './subject.ts'

/** A part of what an approval does. Exact parts are read by machines, and shown as they are. */
export type EffectPart = { readonly title: string; readonly text: string; readonly exact: boolean }

const exact = (title: string, text: string): EffectPart => ({ title, text, exact: true })
const said = (title: string, text: string | null): EffectPart[] =>
  text === null || text.trim() === '' ? [] : [{ title, text, exact: false }]

/** Everything that is carried out if it is approved; the same words on every surface. Free of zod: browsers load it too. */
export function effectOf(subject: GroupSubject): EffectPart[] {
  switch (subject.kind) {
    case 'packages':
      return [
        ...(subject.apt.length > 0 ? [exact('To be installed with apt', subject.apt.join('\n'))] : []),
        ...(subject.npm.length > 0 ? [exact('To be installed with npm', subject.npm.join('\n'))] : []),
        ...(subject.after
          ? [exact('All packages of the image afterwards', [...subject.after.apt, ...subject.after.npm].join('\n'))]
          : []),
        ...said('Reason', subject.reason),
      ]
    case 'mcp_server':
      return [
        exact(`MCP server ${subject.name}`, pretty(subject.server)),
        ...(subject.replaces === null || subject.replaces === undefined
          ? []
          : [exact('It replaces', pretty(subject.replaces))]),
        ...said('Reason', subject.reason),
      ]
    case 'create_agent':
      return [
        exact('New agent', subject.name),
        exact('Instructions', subject.instructions),
        ...(subject.config === undefined ? [] : [exact('Budget', budgetText(recordOf(subject.config)['budget']))]),
        ...(subject.config === undefined
          ? []
          : [
              exact(
                'It may do what its creator may',
                pretty({ ...recordOf(subject.group), ...recordOf(subject.config) }),
              ),
            ]),
        ...said('Reason', subject.reason),
      ]
    case 'credential':
      return [exact('Credential', `${subject.name} for ${subject.host}`), ...said('Reason', subject.reason)]
    case 'admin_command':
      return [
        exact('Command', pretty(subject.command)),
        ...(subject.before === null ? [] : [exact('Now', pretty(subject.before))]),
        ...said('Reason', subject.reason),
      ]
    default:
      return subject satisfies never
  }
}

const recordOf = (value: Json | undefined): Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, Json>) : {}

/** A budget of its own adds to what the agent group that asks may spend, so people read the amount itself. */
function budgetText(budget: Json | undefined): string {
  const { costUsd, tokens, period } = recordOf(budget)
  const amounts = [
    ...(typeof costUsd === 'number' ? [`$${costUsd.toFixed(2)}`] : []),
    ...(typeof tokens === 'number' ? [`${tokens} tokens`] : []),
  ]
  if (amounts.length === 0) return 'No limit, like the agent group that asks for it.'
  return `${amounts.join(' and ')} ${typeof period === 'string' ? periodWords[period] : ''}: its own, in addition to the budget of the agent group that asks for it.`
}
const periodWords: Readonly<Record<string, string>> = { day: 'a day', month: 'a month', total: 'in total' }

/** With sorted keys, as it is hashed. */
const pretty = (value: unknown): string => canonicalJson(value, 2)

const circleWords: Readonly<Record<Circle, string>> = {
  group: 'admins of the agent group',
  admins: 'admins of the agent group, global admins',
  owners: 'admins of the agent group, global admins, owners',
}

/** Whom it goes to, and the hash of exactly what is carried out. */
export const adminFacts = ({
  circle,
  subjectHash,
}: Pick<Ask, 'circle' | 'subjectHash'>): (readonly [name: string, value: string])[] => [
  ...(circle === null ? [] : [['Goes to', circleWords[circle]] as const]),
  ...(subjectHash === null ? [] : [['SHA-256', subjectHash] as const]),
]
