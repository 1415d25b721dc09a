/**
 * Files that something acts on by itself: Git, Signalbox, shells that enter a directory, editors that open one, agents
 * that start in one, hooks of the next commit. Who may write them runs commands without asking. At any depth, as each
 * folder may be opened as a workspace of its own.
 */
const folders = new Set(
  [
    '.git .githooks .husky .hg .svn .jj',
    '.signalbox .monocoque',
    '.vscode .vscode-server .idea .fleet .zed .nvim .vim .emacs.d .devcontainer .theia .settings',
    '.claude .cursor .codex .gemini .opencode .windsurf .continue .roo .kiro .cline .aider .amp .qwen .goose .agents',
    '.direnv .ssh .gnupg .aws .kube .docker',
  ].flatMap((line) => line.split(' ')),
)
const files = new Set(
  [
    '.gitmodules .gitattributes .gitconfig .hgrc',
    '.envrc .autoenv .autoenv.zsh .mise.toml mise.toml .mise.local.toml mise.local.toml .tool-versions',
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc',
    '.cshrc .tcshrc .login .inputrc .xprofile .xinitrc .pam_environment .netrc',
    '.exrc .vimrc .gvimrc .nvimrc .nvim.lua .lvimrc .local.vimrc .dir-locals.el .dir-locals-2.el .emacs .projectile',
    '.mcp.json opencode.json opencode.jsonc .opencode.json .aider.conf.yml .clinerules .cursorrules .windsurfrules',
    'lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml .lefthook.yml .lefthook.yaml',
    '.pre-commit-config.yaml .pre-commit-config.yml .overcommit.yml .lintstagedrc .lintstagedrc.json .huskyrc',
  ].flatMap((line) => line.split(' ')),
)
const endings = ['.code-workspace', '.sublime-project']
const exactPaths = new Set(['.config/zed', '.config/git', '.config/fish', '.config/mise', '.config/nvim'])

// Some file systems ignore case, these characters, and dots and spaces at the end, so that `.GIT` is `.git` there.
const ignored = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]|\p{Default_Ignorable_Code_Point}/gu

/** A name as a file system that hardly tells names apart would see it. */
const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(ignored, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')

/** The part of a relative path that no policy ever answers for, or null. */
export function neverAutomatic(path: string): string | null {
  const names = path.split('/')
  const plain = names.map(folded)
  for (const [index, name] of plain.entries()) {
    // A short name that file systems make up by themselves, such as GIT~1, hides what is behind it.
    if (folders.has(name) || /~\d/.test(name)) return names[index] ?? path
    if (exactPaths.has(`${name}/${plain[index + 1] ?? ''}`)) return path
  }
  const last = plain.at(-1) ?? ''
  return files.has(last) || endings.some((ending) => last.endsWith(ending)) ? (names.at(-1) ?? path) : null
}
