/**
 * Files that programs act on without being told to: Git, shells that enter a directory, editors that open one, agents
 * that start in one, hook managers at the next commit, package managers at the next install, CI at the next push. Write
 * access to them means running commands, or instructing agents, without asking. They are protected at any depth, because
 * each folder may be opened as a workspace. Names are in lower case.
 */
const words = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '))

/** Reading and writing both require approval. */
export const protectedFolders = words(
  '.git .githooks .git-hooks .husky .overcommit .hg .svn .jj',
  '.signalbox .monocoque',
  '.vscode .vscode-server .vscode-insiders .vs .idea .fleet .zed .nvim .vim .emacs.d .helix .kak .nova .devcontainer',
  '.theia .settings',
  '.claude .cursor .codex .gemini .opencode .windsurf .continue .roo .kiro .cline .aider .amp .qwen .goose .agents',
  '.agent .crush .kilocode .kilo .kimi .copilot .junie .trae .augment .factory .openhands .qodo .tabnine .zencoder',
  '.clinerules .roorules .cursorrules .windsurfrules .kilocoderules',
  '.direnv .mise .rtx .yarn .cargo .bundle .mvn .pip',
  '.ssh .gnupg .aws .azure .gcloud .kube .docker',
)

export const protectedNames = words(
  '.gitmodules .gitattributes .gitconfig .hgrc',
  '.envrc .autoenv .autoenv.zsh .autoenv_leave.zsh .tool-versions .rtx.toml',
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout',
  '.kshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .pam_environment .netrc .tmux.conf',
  '.screenrc .curlrc .wgetrc',
  '.exrc .vimrc .gvimrc .nvimrc .nvim.lua .lazy.lua .lvimrc .local.vimrc .kakrc .dir-locals.el .dir-locals-2.el .emacs',
  '.projectile .devcontainer.json .gdbinit .lldbinit .pryrc .irbrc .rprofile .pdbrc .psqlrc .sqliterc .my.cnf',
  '.mcp.json .claude.json opencode.json opencode.jsonc .opencode.json crush.json .crush.json kilo.json kilo.jsonc',
  '.aider.conf.yml .aider.conf.yaml .aider.model.settings.yml .roomodes',
  '.pre-commit-hooks.yaml .overcommit.yml prek.toml captainhook.json grumphp.yml grumphp.yml.dist',
  '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml pip.conf pip.ini .pypirc .condarc .gemrc .bazelrc',
  'nuget.config .terraformrc ansible.cfg .ansible.cfg sitecustomize.py usercustomize.py',
)

/** Files that agents read as instructions, or that CI runs: only writing requires approval. */
export const instructionNames = words(
  'claude.md claude.local.md agents.md agents.override.md agent.md gemini.md qwen.md crush.md warp.md iflow.md kimi.md',
  'skill.md conventions.md copilot-instructions.md .goosehints .rules .cursorrules .windsurfrules .clinerules .roorules',
)
const pipelines = words(
  '.gitlab-ci.yml .gitlab-ci.yaml .travis.yml .drone.yml .drone.yaml .cirrus.yml jenkinsfile azure-pipelines.yml',
  'bitbucket-pipelines.yml appveyor.yml .appveyor.yml .woodpecker.yml .woodpecker.yaml',
)
const instructionFolders = words('.circleci .buildkite .woodpecker')

/** Two path segments in a row. */
const pairs = words('.config/zed .config/git .config/fish .config/mise .config/nvim .config/helix mise/config.toml')
const instructionPairs = words(
  '.github/workflows .github/actions .github/hooks .github/instructions .github/prompts .github/chatmodes',
  '.github/agents .github/skills .gitea/workflows .forgejo/workflows .gitlab/ci',
)
const endings = ['.code-workspace', '.sublime-project', '.sublime-workspace']
/** Tools that accept several settings formats and run commands from them. */
const shapes = [
  /^\.?lefthook(-local)?(\..*)?$/,
  /^\.?mise(\..*)?\.toml$/,
  /^\.lintstagedrc(\..*)?$/,
  /^lint-staged\.config\..*$/,
  /^\.huskyrc(\..*)?$/,
  /^husky\.config\..*$/,
  /^\.?simple-git-hooks(\..*)?$/,
  /^\.pre-commit-config\..*$/,
  /^\.commitlintrc(\..*)?$/,
  /^commitlint\.config\..*$/,
]

// Some file systems ignore case, these characters, and trailing dots and spaces, so that `.GIT` is `.git` there.
const ignored = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]|\p{Default_Ignorable_Code_Point}/gu

/** A name as the least strict file system would see it. */
const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(ignored, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/(?<![. ])[. ]+$/, '')

type Lists = {
  folders: ReadonlySet<string>
  names: ReadonlySet<string>
  pairs: ReadonlySet<string>
}
const forReading: Lists = {
  folders: new Set(protectedFolders),
  names: new Set(protectedNames),
  pairs: new Set(pairs),
}
const forWriting: Lists = {
  folders: new Set([...protectedFolders, ...instructionFolders]),
  names: new Set([...protectedNames, ...instructionNames, ...pipelines]),
  pairs: new Set([...pairs, ...instructionPairs]),
}

/** The part of a relative path that makes it protected, or null. */
export function protectedPart(path: string, access: 'write' | 'read' = 'write'): string | null {
  const lists = access === 'write' ? forWriting : forReading
  const names = path.split('/')
  const plain = names.map(folded)
  for (const [index, name] of plain.entries()) {
    // A generated short name such as GIT~1 hides the real name.
    if (lists.folders.has(name) || /~\d/.test(name)) return names[index] ?? path
    if (lists.pairs.has(`${name}/${plain[index + 1] ?? ''}`)) return names.slice(index, index + 2).join('/')
  }
  const last = plain.at(-1) ?? ''
  // `.config/mise.toml`, `.config/lefthook.yml`: the same files in the settings folder.
  const isProtected =
    lists.names.has(last) || endings.some((ending) => last.endsWith(ending)) || shapes.some((shape) => shape.test(last))
  return isProtected ? (names.at(-1) ?? path) : null
}

/**
 * Names that can't be created at the top of a workspace while a confined agent works there: an empty directory takes
 * their place. Spelled as the programs look for them. Left out: files whose readers fail on a directory
 * (`opencode.json`), and files that take effect only after a person approves them (`.envrc`).
 */
export const heldFolders = words('.signalbox .monocoque .claude .codex .agents .gemini .cursor .vscode')
export const heldFiles = words(
  'CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md GEMINI.md QWEN.md CRUSH.md',
  '.mcp.json .claude.json crush.json .crush.json .cursorrules .windsurfrules .clinerules .goosehints',
)

/** The same for files that Git hooks read; in a repository without hooks nothing reads them. */
export const heldForHooks = [
  '.pre-commit-config.yaml',
  ...words('yml yaml toml json jsonc').flatMap((ending) =>
    words('lefthook .lefthook lefthook-local .lefthook-local').map((name) => `${name}.${ending}`),
  ),
]

const heldNames: ReadonlySet<string> = new Set([...heldFiles, ...heldForHooks])

/** An empty directory with such a name, at the top of a workspace, is a placeholder for a missing file. */
export const standsForNothing = (name: string): boolean => heldNames.has(name)
