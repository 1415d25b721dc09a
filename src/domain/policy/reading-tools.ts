/**
 * Tools that only read, by their exact names in each agent. A name that only sounds like reading is not listed
 * (`view_and_run`, `read_modify`): every other tool counts as writing.
 */
const readers = new Set(
  [
    // Claude Code
    'Read Grep Glob LS NotebookRead',
    // Gemini, Qwen, Codex, OpenCode, Kilo, Kimi, Copilot, Cline, Goose, and MCP servers for files
    'read_file read_many_files read_text_file read_multiple_files read_media_file list_directory list_dir list_files',
    'list_directory_with_sizes directory_tree get_file_info list_code_definition_names',
    'glob grep grep_files grep_search search_file_content search_files search_code file_search codebase_search',
    'read view ls list ReadFile ReadManyFiles SearchText FindFiles ReadFolder',
  ].flatMap((line) => line.split(' ')),
)

export const isReader = (tool: string): boolean => readers.has(tool)

export const accessOf = (tool: string): 'write' | 'read' => (isReader(tool) ? 'read' : 'write')

/** Arguments of reading tools, in lower case without separators. */
const readingKeys = new Set(
  [
    'path paths file files filepath filename absolutepath abspath uri directory dir dirpath folder target targetfile',
    'offset limit line lines startline endline start end from to head tail viewrange pages encoding',
    'pattern query regex regexp glob include exclude type outputmode casesensitive caseinsensitive ignorecase multiline',
    'recursive respectgitignore filefilteringoptions ignore depth maxdepth headlimit context before after n i a b c',
    'description explanation reason title',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Whether a call that the agent describes as reading can be nothing else: its tool is known or unnamed, and reading tools
 * have all of its arguments. The kind `read` alone is only the agent's claim.
 */
export function looksLikeReading(tool: unknown, kind: unknown, args: unknown): boolean {
  const unnamed = tool === undefined || tool === null || tool === '' || tool === 'other' || tool === kind
  if (!unnamed && !(typeof tool === 'string' && isReader(tool))) return false
  if (args === undefined || args === null) return true
  if (typeof args !== 'object' || Array.isArray(args)) return false
  return Object.keys(args).every((key) => readingKeys.has(key.toLowerCase().replaceAll(/[^a-z]/g, '')))
}
