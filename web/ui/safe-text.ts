/** Characters that change the order or the look of what stands beside them: shown, never obeyed. */
// Joiners belong into emoji and some scripts; beside plain letters they only hide.
const tricky = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad\u061c\u180e]|(?<=[!-~])[\u200c\u200d]/g
// oxlint-disable-next-line no-control-regex -- these are what is taken out
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
// oxlint-disable-next-line no-control-regex -- escape sequences begin with one
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g

/** Text of agents and programs as text: no escape sequences, no control characters, nothing that turns it around unseen. */
export const safeText = (text: string): string =>
  text
    .replace(escapes, '')
    .replace(control, '')
    .replace(tricky, (char) => `⟨U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)

export const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)} …` : text)
