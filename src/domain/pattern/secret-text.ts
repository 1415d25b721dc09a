/** Finds text that looks like a secret, in an answer or in a prompt. */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b(?:gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|npm_|pypi-|hf_|sk-|sk_live_|rk_live_|dop_v1_|AIza|ya29\.)[\w-]{10,}/g,
  /\beyJ[\w-]{8,1000}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /\b(?:bearer|basic) [\w+/=.~-]{8,}/gi,
  /(?<=:\/\/[^\s:/@]{0,64}:)[^\s/@]{1,256}(?=@)/g,
  /(?<=\b(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key)["']?[ ]?[=:][ ]?["']?)[^\s"'?]{4,}/gi,
  /(?<=--?(?:password|passwd|token|secret|api-key)[= ])[^\s]+/gi,
  /\b[0-9a-f]{32,}\b/gi,
]

export function looksSecret(text: string): boolean {
  return shapes.some((shape) => text.search(shape) >= 0) || text.split(/\s+/).some(isRandom)
}

/** The text with possible secrets replaced by as many stars. */
export const maskSecrets = (text: string): string =>
  shapes.reduce((masked, shape) => masked.replaceAll(shape, (found) => '*'.repeat(found.length)), text)

/** Mixed-case letters and digits without the structure of words, names and paths. */
function isRandom(word: string): boolean {
  if (word.length < 20 || word.length > 500 || /[/\\@]|:\/\//.test(word)) return false
  const changes = word.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && changes * 5 >= word.length
}
