import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Counts for the last line of `npm test`: why tests were skipped, and the slowest files. */
export function tallyReporter(): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const file = process.env['SIGNALBOX_TEST_TALLY']
      const tally = count(modules, errors)
      for (const [note, times] of tally.notes) console.log(`skipped ${times}: ${note}`)
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
      if (result.state === 'skipped' && result.note)
        tally.notes.set(result.note, (tally.notes.get(result.note) ?? 0) + 1)
    }
  }
  return tally
}

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
