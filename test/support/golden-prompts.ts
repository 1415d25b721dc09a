// The prompts of the golden tests, as more examples to fit weights on.
import { promptSource } from '../../src/domain/terminal/detect/detect.ts'
import { around } from '../../src/domain/terminal/detect/understand/golden/around.ts'
import { byLanguage } from '../../src/domain/terminal/detect/understand/golden/by-language.ts'
import { byWording } from '../../src/domain/terminal/detect/understand/golden/by-wording.ts'
import { dangers } from '../../src/domain/terminal/detect/understand/golden/danger.ts'
import { english } from '../../src/domain/terminal/detect/understand/golden/english.ts'
import { harms } from '../../src/domain/terminal/detect/understand/golden/harm.ts'
import { languages } from '../../src/domain/terminal/detect/understand/golden/languages.ts'
import { foundOf } from '../../src/domain/terminal/detect/understand/golden/row.ts'
import { secrets } from '../../src/domain/terminal/detect/understand/golden/secrets.ts'
import type { PromptSource } from '../../src/domain/terminal/detect/understand/prompt-source.ts'
import { drawn, recorded } from './drawn-screen.ts'

export const goldenPrompts = (): { source: PromptSource; dangerous: boolean }[] => [
  ...[...around, ...dangers, ...english, ...harms, ...languages, ...secrets].map((row) => ({
    source: foundOf(row),
    dangerous: row.danger !== undefined,
  })),
  ...[...byLanguage, ...byWording]
    .filter(({ type }) => type !== 'none')
    .flatMap(({ prompts, dangerous }) =>
      prompts
        .split('\n')
        .filter((prompt) => prompt !== '')
        .map((prompt) => ({
          source: promptSource(drawn(`dev@box:~$ tool\n${prompt.replaceAll(' ⏎ ', '\n')}`), recorded),
          dangerous,
        })),
    ),
]
