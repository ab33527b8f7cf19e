# eval "$(dovetail completion bash)"
# What an option takes is `given`, what is elsewhere `places`: words, or `/` for files, `//` for folders, `ID` for
# operations and `-` for nothing that is known. `-C` and `--root` may precede the command, too; they are `where`, and
# the folder that `-C` leads to is where files are looked for. Bash takes `=` for a word where it divides words. Lines
# are read one by one, for `mapfile` is missing in the bash of macOS, as `compopt` is.
_dovetail_offer() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -n "$folder" && "$given" == /* && -d "$folder${line#"$joined"}" ]]; then  # bash looks elsewhere for it
            line+=/
            compopt -o nospace 2>/dev/null
        fi
        COMPREPLY+=("$line")
    done < <(cd -- "${folder:-.}" 2>/dev/null && compgen "$@" 2>/dev/null)
}
_dovetail_operations() {
    "${COMP_WORDS[0]}" "${where[@]}" log 2>/dev/null | sed -n 's/^\([0-9][0-9-]*\) .*/\1/p'
}
_dovetail() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
    local command="" options="" places="" given="" joined="" folder="" i
    local -a where=()
    if [[ "$word" == "=" ]]; then
        word=""
    elif [[ "$before" == "=" && "$COMP_CWORD" -gt 1 ]]; then
        before="${COMP_WORDS[COMP_CWORD-2]}"
    elif [[ "$word" == --*=* ]]; then
        before="${word%%=*}" joined="${word%%=*}=" word="${word#*=}"
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${COMP_WORDS[i]}" in
            -C|--root)
                local option="${COMP_WORDS[i++]}"
                [[ "${COMP_WORDS[i]}" == "=" ]] && ((i++))
                ((i < COMP_CWORD)) || break
                local value="$(xargs printf %s 2>/dev/null <<< "${COMP_WORDS[i]}")"  # without its quotes
                value="${value/#\~/$HOME}"
                where+=("$option" "$value")
                [[ "$option" == "-C" ]] || continue
                [[ "$value" == /* ]] && folder="$value/" || folder="$folder$value/"
                ;;
            -*) ;;
            *) [[ -n "$command" ]] || command="${COMP_WORDS[i]}" ;;
        esac
    done
    case "$command" in
        "") options="@COMMANDS@ -C --root --version --help" places="$options" ;;
@CASES@
    esac
    case "$before" in -C|--root) given=// ;; esac
    if [[ -z "$given" ]]; then
        given="$places"
        [[ "$word" == -* ]] && given="$options"
    fi
    compopt +o filenames 2>/dev/null
    case "$given" in
        -) COMPREPLY=() ;;
        ID) _dovetail_offer -W "$(_dovetail_operations)" -- "$word" ;;
        //) compopt -o filenames 2>/dev/null; _dovetail_offer -d -P "$joined" -- "$word" ;;
        /) compopt -o filenames 2>/dev/null; _dovetail_offer -f -P "$joined" -- "$word" ;;
        *) _dovetail_offer -W "$given" -P "$joined" -- "$word" ;;
    esac
}
complete -o filenames -F _dovetail dovetail
