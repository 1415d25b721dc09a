import { describe, expect, it } from 'vitest'
import { drawn, recorded } from '../../../../test/support/drawn-screen.ts'
import { detect } from './detect.ts'
import { byLanguage } from './understand/golden/by-language.ts'
import { byWording } from './understand/golden/by-wording.ts'

const rows = [...byLanguage, ...byWording].flatMap(({ type, dangerous, prompts }) =>
  prompts
    .split('\n')
    .filter((prompt) => prompt !== '')
    .map((prompt) => ({ prompt, type, dangerous })),
)

describe('a prompt after a command, in many languages', () => {
  it.each(rows)('$type, dangerous $dangerous: $prompt', ({ prompt, type, dangerous }) => {
    const found = detect(drawn(`dev@box:~$ tool\n${prompt.replaceAll(' ⏎ ', '\n')}`), recorded).prompt
    expect({ type: found?.type ?? 'none', dangerous: found?.dangerous ?? false }).toEqual({ type, dangerous })
  })
})
