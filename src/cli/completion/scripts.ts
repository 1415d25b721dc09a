// What shells load. They ask the program itself, so that commands, values and ids are always those of this version and server.

export type Shell = 'bash' | 'zsh' | 'fish'

/** Asked by the scripts: `signalbox __complete WORDS`. Prints `word TAB description` lines, or `:files`. */
export const completeCommand = '__complete'

const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for signalbox; load it with: source <(signalbox completion bash)
_signalbox() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ':files' ]; then compopt -o default 2>/dev/null; continue; fi
    line=\${line%%$'\\t'*}
    case "$line" in "$current"*) COMPREPLY+=("$(printf '%q' "$line")") ;; esac
  done < <("\${COMP_WORDS[0]}" ${completeCommand} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _signalbox signalbox ./signalbox`,
  zsh: `#compdef signalbox
# zsh completion for signalbox; load it with: source <(signalbox completion zsh)
_signalbox() {
  local line
  local -a found
  while IFS= read -r line; do
    if [[ "$line" == ':files' ]]; then _files; continue; fi
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <("\${words[1]}" ${completeCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe signalbox found
}
compdef _signalbox signalbox`,
  fish: `# fish completion for signalbox; save it as ~/.config/fish/completions/signalbox.fish
function __signalbox_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] ${completeCommand} -- $words[2..-1] 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c signalbox -f -a '(__signalbox_complete)'`,
}

export const completionScript = (shell: Shell): string => scripts[shell]
