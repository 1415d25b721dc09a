import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const perDirectory = 20

/** Files like sources: many, small, of different length and content; ten of them can be changed. */
export function fillWorkspace(root: string, files: number): void {
  for (let index = 0; index < files; index += 1) {
    const directory = directoryOf(root, index)
    if (index % perDirectory === 0) mkdirSync(directory, { recursive: true })
    writeFileSync(
      join(directory, `file-${index}.ts`),
      `export const value${index} = ${index}\n`.repeat(1 + (index % 200)),
    )
  }
}

export function changeSome(root: string, files: number, round: number): void {
  for (let index = 0; index < 10; index += 1) {
    const at = Math.floor((files / 10) * index)
    writeFileSync(join(directoryOf(root, at), `file-${at}.ts`), `export const round = ${round}\n`)
  }
}

const directoryOf = (root: string, index: number): string => {
  const directory = Math.floor(index / perDirectory)
  return join(root, `package-${directory % 50}`, `part-${directory}`)
}
