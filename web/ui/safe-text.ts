/** Characters that change the order or the look of what stands beside them, or that nobody sees. */
// Joiners belong into emoji and some scripts; beside plain letters they only hide.
const tricky =
  /[\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u00ad\u061c\u115f\u1160\u180b-\u180e\u2800\u3164\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|\u034f|(?<=[!-~])[\u200c\u200d]/gu
// oxlint-disable-next-line no-control-regex -- these are what is shown
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
// Colours and movements alone: digits and a letter. What could hold words is not taken out but shown.
// oxlint-disable-next-line no-control-regex -- they begin with one
const colours = /\u001b\[[0-9;:?]{0,40}[A-Za-z]/g

const named = (char: string): string => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** What somebody approves: every character of it is there to be seen. */
export const exactText = (text: string): string => text.replace(control, named).replace(tricky, named)

/** Text of agents and programs as text: without colours, and with nothing hidden or turned around in it. */
export const safeText = (text: string): string => exactText(text.replace(colours, ''))

export const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)} …` : text)
