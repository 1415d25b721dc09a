import picomatch from 'picomatch'
import { compilePolicy } from '../../src/domain/policy/compile.ts'
import { judge } from '../../src/domain/policy/judge.ts'
import type { PolicySubject } from '../../src/domain/policy/policy-subject.ts'
import { forInformation, type Figure, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { manyRules } from './rules.ts'

const bar = 1

export const policyRules: Line = {
  name: 'policy',
  measured: `One decision by a policy of 10,000 rules (5,000 command entries over as many registered commands, 5,000
file patterns), compiled once: the slowest of a command and a path that match the last rule, and a command and a path
that match none; the mean of 200 of each per round. Half of the entries start with a wildcard or the same word, so
that an index by prefix does not help. The median of the rounds is judged. The peer is bare picomatch, also compiled,
with the same entries as globs over the same text, one by one; it parses no commands and has no registry.`,
  async run({ quick }) {
    const given = manyRules(10_000)
    const { policy } = compilePolicy(given.file, given.registry, [])
    const matchers = [...given.file.commands, ...given.file.filePatterns.write].map((glob) => picomatch(glob))
    for (const matter of given.matched)
      if (judge(policy, matter, 'low') === null) throw new Error('a rule did not match')
    for (const matter of given.unmatched) if (judge(policy, matter, 'low') !== null) throw new Error('a rule matched')
    const matters = [...given.matched, ...given.unmatched]
    const times = quick ? 20 : 200
    const figures = await interleaved(quick ? 3 : 7, {
      peer: async () => slowest(matters, times, (matter) => void matchers.some((matches) => matches(textOf(matter)))),
      ours: async () => slowest(matters, times, (matter) => void judge(policy, matter, 'low')),
    })
    const ours = sampleOf(figures.ours)
    const figure = forInformation({
      name: 'policy/judge',
      title: '10,000 rules evaluated',
      unit: 'ms',
      ours,
      peer: sampleOf(figures.peer),
      ratio: ratioOf(figures.ours, figures.peer),
    })
    return [{ ...figure, bar: `< ${bar} ms`, holds: ours.median < bar } satisfies Figure]
  },
}

/** The mean time of the slowest subject, in milliseconds. */
function slowest(matters: readonly PolicySubject[], times: number, ask: (matter: PolicySubject) => void): number {
  const means = matters.map((matter) => {
    const started = performance.now()
    for (let count = 0; count < times; count += 1) ask(matter)
    return (performance.now() - started) / times
  })
  return Math.max(...means)
}

const textOf = (matter: PolicySubject): string =>
  matter.kind === 'command' ? matter.command : matter.kind === 'files' ? (matter.paths[0] ?? '') : ''
