# Asks one question with one program, writes what it returned to a file, then asks a second question that nobody answers:
# an answer that is typed twice, or too long, ends up there.
library=$1 kind=$2 out=$3
got=$out.got
menu='red Red green Green blue Blue grey Grey'
list='red Red off green Green off blue Blue off grey Grey off'
one='red Red on green Green off blue Blue off grey Grey off'
# What a box returns is on standard error, with its exit code.
box() { "$library" "$@" 2>"$got"; code=$?; }
case "$library $kind" in
*' yesno') box --yesno 'Publish now?' 8 40; echo "$code" >"$got" ;;
*' defaultno') box --defaultno --yesno 'Publish now?' 8 40; echo "$code" >"$got" ;;
*' msgbox') box --msgbox 'Published.' 8 40; echo "$code" >"$got" ;;
*' inputbox') box --inputbox 'Slug:' 8 40 ;;
*' inputbox with default') box --inputbox 'Slug:' 8 40 app ;;
*' passwordbox') box --passwordbox 'Password:' 8 40 ;;
*' menu') box --menu 'Colour:' 14 40 5 $menu ;;
*' radiolist') box --radiolist 'Colour:' 14 40 5 $one ;;
*' checklist') box --separate-output --checklist 'Colours:' 14 40 5 $list ;;
'fzf select') printf '%s\n' red green blue grey | fzf --prompt='Colour> ' >"$got" ;;
'fzf in a few rows') printf '%s\n' red green blue grey | fzf --height=8 --reverse --prompt='Colour> ' >"$got" ;;
'fzf multi') printf '%s\n' red green blue grey | fzf --multi --prompt='Colours> ' >"$got" ;;
'bash read') read -r -p 'Slug: ' v; printf '%s\n' "$v" >"$got" ;;
'bash read -e') read -r -e -p 'Slug: ' v; printf '%s\n' "$v" >"$got" ;;
'bash read -e with default') read -r -e -i app -p 'Slug: ' v; printf '%s\n' "$v" >"$got" ;;
'bash read -n 1') read -r -n 1 -p 'Publish now? [y/n] ' v; printf '%s\n' "$v" >"$got" ;;
'bash read -s') read -r -s -p 'Password: ' v; printf '%s\n' "$v" >"$got" ;;
'bash select') PS3='Colour: '; select v in red green blue grey; do break; done; printf '%s\n' "$v" >"$got" ;;
'zsh read') zsh -fc 'read -r "v?Slug: "; print -r -- $v' >"$got" ;;
'zsh read -q') zsh -fc 'read -q "v?Publish now? [y/n] "; print -r -- $v' >"$got" ;;
'zsh vared') zsh -fc 'zmodload zsh/zle; v=app; vared -p "Slug: " v; print -r -- $v >"$0"' "$got" ;;
'zsh select') zsh -fc 'PROMPT3="Colour: "; select v in red green blue grey; do break; done; print -r -- $v' >"$got" ;;
'dash read') dash -c 'printf "Slug: " >&2; read -r v; printf "%s\n" "$v"' >"$got" ;;
'ksh read') ksh -c 'read -r "v?Slug: "; print -r -- "$v"' >"$got" ;;
'ksh select') ksh -c 'PS3="Colour: "; select v in red green blue grey; do break; done; print -r -- "$v"' >"$got" ;;
'perl readline') perl -e 'print STDERR "Slug: "; $_ = <STDIN>; print' >"$got" ;;
'tclsh gets') tclsh <(echo 'puts -nonewline stderr "Slug: "; gets stdin v; puts $v') >"$got" ;;
'lua5.4 read') lua5.4 -e 'io.stderr:write("Slug: "); print(io.read())' >"$got" ;;
'busybox read') busybox sh -c 'read -r -p "Slug: " v; echo "$v"' >"$got" ;;
*) echo "no $kind of $library"; exit 1 ;;
esac
mv "$got" "$out"
printf '\nThank you.\nNext question: '
while read -r line; do printf '%s\n' "$line" >>"$out.more"; done
