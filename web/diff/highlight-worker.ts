import { common, createLowlight } from 'lowlight'
import type { HighlightAnswer, HighlightRequest } from './highlighter.ts'
import { tokensByLine } from './tokens.ts'

const lowlight = createLowlight(common)

// Colours are made beside the page: a text that takes for ever is given up there, and the page never waits for it.
self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const answer: HighlightAnswer = { id: data.id, tokens: null }
  try {
    answer.tokens = tokensByLine(lowlight.highlight(data.language, data.lines.join('\n')))
  } catch {
    // Stays plain.
  }
  self.postMessage(answer)
})
