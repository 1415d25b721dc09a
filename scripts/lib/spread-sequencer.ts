import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Browsers and real agents: the most memory and processor time. */
const heavy: readonly string[] = ['agents', 'e2e']
/** Many short files, which fill the end of a run evenly. */
const last = 'unit'

/** Spreads the heavy files over the others, which mostly wait: few browsers are open at once, and no core is idle. */
export class SpreadSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const few = sorted.filter(({ project }) => heavy.includes(project.name))
    const many = sorted.filter(({ project }) => !heavy.includes(project.name) && project.name !== last)
    const end = sorted.filter(({ project }) => project.name === last)
    const each = Math.ceil(many.length / (few.length || 1))
    const rows = few.flatMap((file, at) => [file, ...many.slice(at * each, (at + 1) * each)])
    return few.length === 0 ? [...many, ...end] : [...rows, ...end]
  }
}
