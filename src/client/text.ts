/** How words of strangers are shown, wherever that is. */
export { codeOf, hiddenInCode, hiddenInText, named } from '../lib/hidden.ts'
export { visibleLine } from '../lib/shell-words.ts'
