import type { Terminal } from '../../domain/terminal/schema.ts'
import { escapeHtml } from './html.ts'

/** The frame of a terminal's page; web/terminal.ts brings it to life. */
export function terminalBody(terminal: Terminal, mayAct: boolean): string {
  const { sessionId, name, command, logFile, cwd, host } = terminal
  const title = name ?? command?.join(' ') ?? logFile
  const about = [name === null ? null : (command?.join(' ') ?? null), host, cwd].filter((part) => part !== null)
  return `<p class="path"><a href="/">Signalbox</a> <span class="soft">›</span> <a href="/terminals">Terminals</a></p>
<div class="terminal-head"><h1>${escapeHtml(title)}</h1><span class="chip" id="state">opening …</span></div>
<p class="soft about">${escapeHtml(about.join(' · '))}</p>
<noscript><p class="bad">This page needs JavaScript.</p></noscript>
<div class="desk" id="terminal" data-id="${sessionId}" data-log="${command === null}">
<section class="view" aria-label="Terminal">
<div class="screen" id="screen"></div>
<p class="soft trouble" id="trouble" role="status" hidden></p>
</section>
<section class="tools" aria-label="Recording">
<div class="bar player" id="player" hidden>
<button id="play">Play</button>
<input type="range" id="seek" min="0" max="0" step="any" value="0" aria-label="Where in the recording">
<span class="time" id="time">0:00 / 0:00</span>
<label>Speed <select id="speed"><option value="1">1×</option><option value="2">2×</option>
<option value="4">4×</option><option value="16">16×</option></select></label>
</div>
<div class="bar">
<button class="quiet" id="mode" aria-pressed="false">Replay</button>
<button class="quiet" id="zoom" hidden>Full size</button>
<a href="/api/terminals/${sessionId}/cast" download>Download for asciinema</a>
</div>
</section>
<section class="card panel" id="panel" aria-label="What it asks">
<p class="soft" id="asks" aria-live="polite">…</p>
<p class="question" id="question" hidden></p>
<p class="bad warning" id="danger" role="alert" hidden></p>
${mayAct && command !== null ? answering : `<p class="soft">${command === null ? followed : onlooker}</p>`}
</section>
</div>`
}

const followed = 'This is a log that is followed; nothing can be typed into it.'
const onlooker = 'You may look at this terminal, but not type into it.'

const keys = [
  ['up', '↑', 'Up'],
  ['down', '↓', 'Down'],
  ['enter', '⏎', 'Enter'],
  ['tab', 'Tab', 'Tab'],
  ['escape', 'Esc', 'Escape'],
  ['ctrl-c', 'Ctrl-C', 'Control C'],
]
  .map(
    ([key, label, spoken]) =>
      `<button type="button" class="quiet" data-key="${key}" aria-label="${spoken}">${label}</button>`,
  )
  .join('\n')

const answering = `<div class="choices" id="choices"></div>
<form id="answer" autocomplete="off"><label for="text" id="label">Answer</label>
<div class="line"><input id="text" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" disabled>
<button id="send" disabled>Send</button></div></form>
<p id="outcome" role="status" hidden></p>
<details id="keys"><summary>Keys</summary><div class="choices">${keys}</div></details>`
