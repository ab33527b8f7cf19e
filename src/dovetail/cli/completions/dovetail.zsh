#compdef dovetail
# eval "$(dovetail completion zsh)"
# Evaluated in a shell that never began completion, as one of macOS, it begins that itself.
_dovetail_operations() {
    local -a operations
    operations=(${${(f)"$("${where[@]}" log 2>/dev/null)"}%% *})
    operations=(${(M)operations:#[0-9]*-[0-9]*})
    compadd "$@" -V operations -a operations
}
_dovetail() {
    local -a commands
    commands=(
@SUMMARIES@
    )
    local at=2 i value folder=""
    local -a where within
    while (( at < CURRENT )); do
        case "${words[at]}" in -C|--root) (( at += 2 )) ;; *) break ;; esac
    done
    where=("${words[1]}")
    for (( i = 2; i < CURRENT - 1; i++ )); do
        [[ "${words[i]}" == (-C|--root) ]] || continue
        value="${(Q)words[i+1]/#\~/$HOME}"
        where+=("${words[i]}" "$value")
        [[ "${words[i]}" == -C ]] || continue
        [[ "$value" == /* ]] && folder="$value" || folder="${folder:+$folder/}$value"
    done
    [[ -n "$folder" ]] && within=(-W "${folder:a}")  # a relative one might name a parameter
    if (( CURRENT < at )); then
        _files -/ $within
        return
    fi
    if (( CURRENT == at )); then
        _describe command commands
        return
    fi
    local command="${words[at]}"
    shift $(( at - 1 )) words
    (( CURRENT -= at - 1 ))
    case "$command" in
@CASES@
    esac
}
if [[ "$funcstack[1]" == _dovetail ]]; then
    _dovetail "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
    compdef _dovetail dovetail
fi
