import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Counts for the last line of `npm test`: why tests were skipped, which passed on a retry, and the slowest files. */
export function tallyReporter(): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const file = process.env['SIGNALBOX_TEST_TALLY']
      const tally = count(modules, errors)
      for (const [note, times] of tally.notes) console.log(`skipped ${times}: ${note}`)
      for (const stumble of tally.stumbles) console.log(`passed only on the second try: ${stumble}`)
      for (const line of slowest(modules)) console.log(line)
      if (file)
        writeFileSync(file, JSON.stringify({ passed: tally.passed, failed: tally.failed, skipped: tally.skipped }))
    },
  }
}

function count(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>) {
  const tally = {
    passed: 0,
    failed: errors.length,
    skipped: 0,
    notes: new Map<string, number>(),
    stumbles: [] as string[],
  }
  for (const module of modules) {
    // A file that cannot be loaded has no tests to count, and still fails.
    tally.failed += module.errors().length
    for (const suite of module.children.allSuites()) tally.failed += suite.errors().length
    for (const test of module.children.allTests()) {
      const result = test.result()
      if (result.state === 'passed') tally.passed += 1
      else if (result.state === 'failed') tally.failed += 1
      else tally.skipped += 1
      if (test.diagnostic()?.flaky)
        tally.stumbles.push([`${module.relativeModuleId} > ${test.fullName}`, ...wordsOf(result.errors)].join('\n  '))
      if (result.state === 'skipped' && result.note)
        tally.notes.set(result.note, (tally.notes.get(result.note) ?? 0) + 1)
    }
  }
  return tally
}

/** The message, and the stack lines in the tests. */
const wordsOf = (errors: ReadonlyArray<SerializedError> = []): string[] =>
  errors.flatMap(({ message, stack = '' }) => [
    message,
    ...stack
      .split('\n')
      .filter((line) => /\/test\//.test(line))
      .map((line) => line.trim()),
  ])

/** The slowest files of a large run. */
function slowest(modules: ReadonlyArray<TestModule>): string[] {
  const many = 20
  const shown = 10
  if (modules.length < many) return []
  const timed = modules.map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
  return timed
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, shown)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`)
}
