/** Displays untrusted text safely. */
export { codeOf, hiddenInCode, hiddenInText, named } from '../lib/hidden-characters.ts'
export { visibleLine } from '../lib/shell-words.ts'
