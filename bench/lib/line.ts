import type { Sample } from './sample.ts'

/**
 * Options of a line: its own folder, removed afterwards; whether a rough figure is enough; and how long to run, if that
 * can vary.
 */
export type LineContext = { readonly folder: string; readonly quick: boolean; readonly minutes?: number }

export type Figure = {
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly ours: Sample
  readonly peer: Sample | null
  /** The figure that is judged; with a peer, the ratio to the peer, round by round. */
  readonly ratio: Sample | null
  readonly bar: string | null
  /** Null if the figure is for information only. */
  readonly holds: boolean | null
}

export type Line = {
  readonly name: string
  /** What the figures mean and how they are taken; one paragraph in RESULTS.md. */
  readonly measured: string
  run(context: LineContext): Promise<Figure[]>
}

type Given = Pick<Figure, 'name' | 'title' | 'unit' | 'ours'> & { peer?: Sample; ratio?: Sample }

export const forInformation = ({ peer, ratio, ...given }: Given): Figure => ({
  ...given,
  peer: peer ?? null,
  ratio: ratio ?? null,
  bar: null,
  holds: null,
})

export const atLeast = (bar: number, given: Given & { ratio: Sample }): Figure => ({
  ...forInformation(given),
  bar: `ratio ≥ ${bar}`,
  holds: given.ratio.median >= bar,
})

export const atMost = (bar: number, given: Given & { ratio: Sample }): Figure => ({
  ...forInformation(given),
  bar: `ratio ≤ ${bar}`,
  holds: given.ratio.median <= bar,
})
