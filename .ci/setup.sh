# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What ./dev does on a new machine: system packages and Rust. Read by ./dev, which defines say, die and yes.

# --- Set-up: system packages ------------------------------------------------------------------------------------

# What a command may need: group, how to see that it is there, its package for apt, dnf and pacman.
#   cmd: a program in PATH; pc: a pkg-config module; lib: a file the C compiler links; pkg: ask the package manager
packages='
build    cmd:pkg-config   pkg-config          pkgconf-pkg-config      pkgconf
build    cmd:cc           gcc                 gcc                     gcc
build    lib:libc.a       libc6-dev           glibc-static            glibc
build    pc:gtk4          libgtk-4-dev        gtk4-devel              gtk4
build    pc:libadwaita-1  libadwaita-1-dev    libadwaita-devel        libadwaita
build    cmd:glib-compile-schemas libglib2.0-bin glib2              glib2
build    pkg              ca-certificates     ca-certificates         ca-certificates
icons    pkg              adwaita-icon-theme  adwaita-icon-theme      adwaita-icon-theme
icons    pkg              librsvg2-common     librsvg2                librsvg
desktop  cmd:Xvfb         xvfb                xorg-x11-server-Xvfb    xorg-server-xvfb
desktop  cmd:dbus-daemon  dbus-daemon         dbus-daemon             dbus
desktop  cmd:dbus-send    dbus-bin            dbus-tools              dbus
desktop  pkg              fonts-cantarell     abattis-cantarell-fonts cantarell-fonts
desktop  pkg              fonts-dejavu-core   dejavu-sans-mono-fonts  ttf-dejavu
picture  cmd:import       imagemagick         ImageMagick             imagemagick
reader   pkg              at-spi2-core        at-spi2-core            at-spi2-core
agents   cmd:node         nodejs              nodejs                  nodejs
agents   cmd:npm          npm                 nodejs-npm              npm
fuzz     cmd:c++          g++                     gcc-c++                 gcc
rustup   cmd:curl         curl                curl                    curl
'

reason() {
    case $1 in
        build) echo 'to build the panel' ;;
        icons) echo "for the panel's icons" ;;
        desktop) echo 'for a private display and bus' ;;
        picture) echo 'to save a picture' ;;
        reader) echo 'to read the window in tests' ;;
        agents) echo 'to install and run real agents' ;;
        fuzz) echo 'to build the fuzzer' ;;
        rustup) echo 'to fetch rustup' ;;
    esac
}

package_manager() {
    local manager
    for manager in apt-get dnf pacman; do
        if command -v "$manager" >/dev/null; then echo "$manager"; return; fi
    done
}

package_is_there() {
    case $manager in
        apt-get) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
        dnf) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;;
        pacman) pacman -Qq "$1" >/dev/null 2>&1 ;;
        *) return 1 ;;
    esac
}

is_there() { # PROBE PACKAGE
    case $1 in
        cmd:*) command -v "${1#*:}" >/dev/null ;;
        pc:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
        lib:*) [ -e "$(cc -print-file-name="${1#*:}" 2>/dev/null)" ] ;;
        pkg) package_is_there "$2" ;;
    esac
}

i_am_root() { [ "$(id -u)" = 0 ]; }
as_root() { if i_am_root; then "$@"; else sudo "$@"; fi; }

# Asks for the password where it can be seen, before a command whose output is hidden.
need_root() { # COMMAND...
    if i_am_root; then return; fi
    command -v sudo >/dev/null || die "that needs root, and there is no sudo. Run this as root, then ./dev again: $*"
    sudo true
}

# A package manager says a lot; it is only worth reading when it fails.
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        rm -f "$log"
        die 'that failed: the end of its output is above'
    fi
    rm -f "$log"
}

# A new machine has no package lists at all, and an old one names files that are gone.
refresh_lists() {
    if [ -n "${lists_are_fresh:-}" ]; then return; fi
    need_root apt-get update
    as_root apt-get update -qq >&2 </dev/null || say 'apt-get update failed; going on with the lists that are here'
    lists_are_fresh=yes
}

install_packages() {
    local install
    case $manager in
        apt-get) install=(apt-get install -y -qq --no-install-recommends) ;;
        dnf) install=(dnf install -y --setopt=install_weak_deps=False) ;;
        pacman) install=(pacman -S --noconfirm --needed) ;;
    esac
    need_root "${install[@]}" "$@"
    if [ "$manager" = apt-get ]; then refresh_lists; fi
    quietly as_root env DEBIAN_FRONTEND=noninteractive "${install[@]}" "$@"
}

need() { # GROUP...
    local group probe apt dnf pacman name missing=() why=''
    while read -r group probe apt dnf pacman; do
        case " $* " in *" $group "*) ;; *) continue ;; esac
        case $manager in dnf) name=$dnf ;; pacman) name=$pacman ;; *) name=$apt ;; esac
        is_there "$probe" "$name" && continue
        missing+=("$name")
        case $why in *"$(reason "$group")"*) ;; *) why+="${why:+, }$(reason "$group")" ;; esac
    done < <(grep . <<<"$packages")
    [ ${#missing[@]} -gt 0 ] || return 0
    [ -n "$manager" ] || die "no apt, dnf or pacman here. Install what Debian calls: ${missing[*]} ($why)"
    say "installing ${missing[*]} ($why)"
    install_packages "${missing[@]}"
}

# --- Set-up: Rust -----------------------------------------------------------------------------------------------

rust_wanted() { sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml; }
rust_found() { rustc --version 2>/dev/null | cut -d' ' -f2; }

rust_fits() {
    local found
    found=$(rust_found) || return 1
    cargo --version >/dev/null 2>&1 && printf '%s\n' "$(rust_wanted)" "${found%%-*}" | sort -VC
}

# A rustup installed a moment ago is not in the PATH of this shell, and its default may be an older toolchain than its stable.
find_rust() {
    if rust_fits; then return; fi
    if [ -x "$CARGO_HOME/bin/rustc" ]; then PATH=$CARGO_HOME/bin:$PATH; fi
    if rust_fits; then return; fi
    command -v rustup >/dev/null && RUSTUP_TOOLCHAIN=stable rust_fits && export RUSTUP_TOOLCHAIN=stable
}

confirm() { # WHY COMMAND...
    say "$1. This will be run:"
    printf '    %s\n' "${@:2}" >&2
    if [ "$yes" = yes ]; then return; fi
    [ -t 0 ] || die 'there is no terminal to ask on: run that yourself, or this again with --yes'
    local answer
    read -rp 'dev: Go on? [y/N] ' answer
    case $answer in [yY] | [yY][eE][sS]) ;; *) die 'stopped: nothing was changed' ;; esac
}

distribution_has_rustup() {
    case $manager in
        apt-get)
            if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then refresh_lists; fi
            [ -n "$(apt-cache madison rustup 2>/dev/null)" ]
            ;;
        dnf) dnf -q info rustup >/dev/null 2>&1 ;;
        pacman) true ;;
        *) false ;;
    esac
}

rust_parts=(--profile minimal --component rustfmt --component clippy)

get_rustup_package() {
    # Fedora's package brings rustup's installer, Debian's and Arch's bring rustup itself.
    local next=(rustup toolchain install stable "${rust_parts[@]}")
    if [ "$manager" = dnf ]; then next=(rustup-init -y --no-modify-path "${rust_parts[@]}"); fi
    confirm "your distribution's package rustup brings Rust (it may replace its packages rustc and cargo)" \
        "$manager install rustup" "${next[*]}"
    install_packages rustup
    "${next[@]}"
    if [ "$manager" != dnf ]; then rustup default stable; fi
}

get_rustup_itself() {
    local fetch=(curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs)
    local next=(sh -s -- -y --no-modify-path "${rust_parts[@]}")
    confirm "rustup's own installer brings Rust, into $CARGO_HOME and $RUSTUP_HOME; your shell's files stay as they are" \
        "${fetch[*]} | ${next[*]}"
    need rustup build # the build's certificates are what curl needs as well
    # Its check would stop at an older Rust of the distribution, which this one is to go before.
    "${fetch[@]}" | RUSTUP_INIT_SKIP_PATH_CHECK=yes "${next[@]}" || die "rustup's installer failed"
}

get_newer_rust() {
    if command -v rustup >/dev/null; then
        confirm 'rustup is here, its toolchain is too old' 'rustup update stable'
        rustup update stable
    elif distribution_has_rustup; then
        get_rustup_package
    else
        get_rustup_itself
    fi
}

need_rust() {
    if find_rust; then return; fi
    local found
    found=$(rust_found) || found=none
    say "Rust $(rust_wanted) or newer is needed, found: $found"
    get_newer_rust
    hash -r
    find_rust || die "still no Rust $(rust_wanted) or newer: $(rustc --version 2>&1 || true)"
}

need_lints() {
    if cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; then return; fi
    command -v rustup >/dev/null || die "cargo fmt or clippy is missing: install your distribution's rustfmt and clippy"
    confirm 'rustfmt or clippy is missing' 'rustup component add rustfmt clippy'
    rustup component add rustfmt clippy
}
