# dovetail completion fish | source
function __dovetail_command
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case -C --root
                set -e words[1]
                set -q words[1]; and set -e words[1]
            case '-*'
                set -e words[1]
            case '*'
                echo $words[1]
                return 0
        end
    end
    return 1
end
function __dovetail_operations
    set -l words (commandline -opc)
    set -l where
    while set -q words[2]
        contains -- $words[1] -C --root; and set -a where $words[1..2]
        set -e words[1]
    end
    dovetail $where log 2>/dev/null | string replace -rf '^([0-9][-0-9]*) .*' '$1'
end
complete -c dovetail -s C -x -a '(__fish_complete_directories)' -d 'run as if in DIR'
