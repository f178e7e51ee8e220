# scripts/lib.sh - what the scripts share: where the tree is, how they speak, which packages they
# need. Sourced by bash, not run: . "$(dirname "$0")/lib.sh"

set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Debian 12's names. The demo needs the first list only.
PACKAGES_BUILD="gcc libc6-dev cmake ninja-build pkg-config libmodbus-dev libjansson-dev"
PACKAGES_TEST="$PACKAGES_BUILD make git binutils libcmocka-dev python3 python3-pymodbus socat strace
    clang clang-tidy clang-format libclang-rt-14-dev cppcheck stress-ng rt-tests luajit
    libluajit-5.1-dev"

if [ -t 1 ]; then
    BOLD=$(printf '\033[1m') RED=$(printf '\033[31m') GREEN=$(printf '\033[32m') PLAIN=$(printf '\033[0m')
else
    BOLD='' RED='' GREEN='' PLAIN=''
fi

say() { printf '%s\n' "${BOLD}$*${PLAIN}"; }
die() { printf '%s\n' "${RED}$*${PLAIN}" >&2; exit 1; }

# packages_missing NAME...: those of the names that are not installed.
packages_missing() {
    local name
    for name in "$@"; do
        case $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) in
        installed) ;;
        *) printf '%s ' "$name" ;;
        esac
    done
}

# as_root COMMAND...: runs it as root, by sudo if that asks nothing.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_be_root() { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }

# need_packages NAME...: installs what is missing. Without the right to, says what to install and
# ends the script. Touches no network when all is there.
need_packages() {
    command -v dpkg-query >/dev/null ||
        { say "not a Debian system: expecting the equivalents of: $*"; return 0; }
    local missing
    missing=$(packages_missing "$@")
    [ -n "$missing" ] || return 0
    can_be_root || die "These packages are missing, and only root can install them:
    sudo apt-get install --no-install-recommends $missing"
    say "installing: $missing"
    # The lists may be too old to name today's files, but installing may work without new ones.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null ||
        say "apt-get update failed; trying with the lists that are here"
    # shellcheck disable=SC2086 # a list of names
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        $missing </dev/null || die "apt-get could not install: $missing"
    missing=$(packages_missing "$@")
    [ -z "$missing" ] || die "still missing after apt-get: $missing"
}
