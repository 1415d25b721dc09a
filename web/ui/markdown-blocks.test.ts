import { describe, expect, it } from 'vitest'
import { blocksOf } from './markdown-blocks.ts'

const paragraph = (n: number) => `Paragraph ${n} has\na few\nlines\nof text.\n`

describe('blocks of a text', () => {
  it('join to the whole text', () => {
    const text = [1, 2, 3].map(paragraph).join('\n')
    expect(blocksOf(text).join('\n')).toBe(text)
    expect(blocksOf(text).length).toBeGreaterThan(1)
  })

  it('do not split code, however many empty lines it has', () => {
    const code = '```ts\n' + 'a\n\nb\n\nc\n\n'.repeat(10) + '```'
    expect(blocksOf(`${paragraph(1)}\n${code}`).some((block) => block.includes(code))).toBe(true)
  })

  it('stay the same while the last one grows', () => {
    const text = [1, 2, 3, 4].map(paragraph).join('\n')
    const before = blocksOf(text)
    const after = blocksOf(`${text}\nand more`)
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
  })
})
