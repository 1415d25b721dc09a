/** Colours of the signals that mean nothing bad. */
const looks = [
  'bg-info-soft text-info',
  'bg-clear-soft text-clear',
  'bg-wait-soft text-wait',
  'bg-accent-soft text-accent',
  'bg-sunken text-soft',
] as const

/** The same agent has the same mark everywhere. */
function markOf(agent: string): { letters: string; look: string } {
  // The first letters of two words, or of one.
  const [first = '?', second] = agent.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? []
  const next = /[\p{L}\p{N}]([\p{L}\p{N}])/u.exec(agent)?.[1] ?? ''
  const letters = `${first}${second ?? next}`.toUpperCase()
  let sum = 0
  for (const char of agent) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973
  return { letters, look: looks[sum % looks.length] ?? looks[0] }
}

/** Two letters on a colour; the name stands beside it. */
export const AgentMark = ({ agent }: { agent: string }) => {
  const { letters, look } = markOf(agent)
  return (
    <span
      aria-hidden="true"
      className={`flex size-8 shrink-0 items-center justify-center rounded-lg text-xs font-semibold ${look}`}
    >
      {letters}
    </span>
  )
}
