import { understand } from '../terminal/detect/understand/understand.ts'

/**
 * A last look at the words before anything is learned or typed. Who watches the screen knows more and says so; this
 * stands behind them, and alone where a prompt comes from elsewhere: told by an agent, or read from a file.
 */
export function understood(promptText: string): Meaning {
  // Each prompt is asked about several times in a row, and many thousand prompts in an import.
  if (last?.promptText !== promptText) last = { promptText, meaning: look(promptText) }
  return last.meaning
}

type Meaning = { readonly secret: boolean; readonly dangerous: boolean }

let last: { promptText: string; meaning: Meaning } | undefined

function look(promptText: string): Meaning {
  const lines = promptText.split('\n').map((line) => line.trimEnd())
  const text = promptText.trimEnd()
  const { secret, dangerous } = understand({
    text,
    line: lines.at(-1) ?? '',
    above: lines.slice(-31, -1),
    menu: null,
    fullScreen: false,
    secretByMode: false,
    canonical: null,
    program: null,
  })
  return { secret, dangerous }
}
