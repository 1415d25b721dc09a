import { common, createLowlight } from 'lowlight'
import type { HighlightAnswer, HighlightRequest } from './highlighter.ts'
import { tokensByLine } from './tokens.ts'

const lowlight = createLowlight(common)

// Highlighting runs in a worker, so that a slow text can be dropped without blocking the page.
self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const answer: HighlightAnswer = { id: data.id, tokens: null }
  try {
    answer.tokens = tokensByLine(lowlight.highlight(data.language, data.lines.join('\n')))
  } catch {
    // Stays plain.
  }
  self.postMessage(answer)
})
