/** Files of at most so many lines each: a third stays, a third is removed, a third is added. */
export function bigDiff(lines: number, most = 300): { filePath: string; diff: string } {
  const perFile = Math.min(most, lines)
  const names = Array.from({ length: lines / perFile }, (_, index) => `src/timetable/part-${index}.ts`)
  return { filePath: names[0] ?? '', diff: names.map((name) => fileDiff(name, perFile / 3)).join('') }
}

function fileDiff(name: string, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const stop = `stops[${index}]`
    return [
      ` // Stop ${index}: the platform is known once the signal is set.`,
      `-const platform${index} = platformOf(${stop}, 'first')`,
      `+const platform${index} = await platformOf(${stop}, { fallback: 'first' })`,
    ].join('\n')
  })
  const range = `1,${count * 2}`
  return `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -${range} +${range} @@\n${lines.join('\n')}\n`
}
