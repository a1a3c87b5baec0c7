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
build    pkg              ca-certificates     ca-certificates         ca-certificates
icons    pkg              adwaita-icon-theme  adwaita-icon-theme      adwaita-icon-theme
icons    pkg              librsvg2-common     librsvg2                librsvg
desktop  cmd:Xvfb         xvfb                xorg-x11-server-Xvfb    xorg-server-xvfb
desktop  cmd:dbus-daemon  dbus-daemon         dbus-daemon             dbus
desktop  pkg              fonts-cantarell     abattis-cantarell-fonts cantarell-fonts
desktop  pkg              fonts-dejavu-core   dejavu-sans-mono-fonts  ttf-dejavu
picture  cmd:import       imagemagick         ImageMagick             imagemagick
reader   pkg              at-spi2-core        at-spi2-core            at-spi2-core
agents   cmd:node         nodejs              nodejs                  nodejs
agents   cmd:npm          npm                 nodejs-npm              npm
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

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "this needs root, and sudo is not installed. Run this as root, then ./dev again: $*"
    fi
}

# A package manager says a lot; it is only worth reading when it fails.
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        rm -f "$log"
        die "failed: $*"
    fi
    rm -f "$log"
}

# A new machine has no package lists at all, and an old one names files that are gone.
refresh_lists() {
    if [ -n "${lists_are_fresh:-}" ]; then return; fi
    as_root apt-get update -qq >&2 </dev/null || say 'apt-get update failed; going on with the lists that are here'
    lists_are_fresh=yes
}

install_packages() {
    as_root true # asks for the password before the output is hidden
    case $manager in
        apt-get)
            refresh_lists
            quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
            ;;
        dnf) quietly as_root dnf install -y --setopt=install_weak_deps=False "$@" ;;
        pacman) quietly as_root pacman -S --noconfirm --needed "$@" ;;
    esac
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

confirm() { # WHAT WILL BE DONE
    say "$1"
    [ "$yes" = no ] || return 0
    [ -t 0 ] || die 'there is no terminal to ask on. Do that, or run this again with --yes'
    local answer
    read -rp 'dev: Go on? [y/N] ' answer
    case $answer in [yY] | [yY][eE][sS]) ;; *) die 'nothing was changed' ;; esac
}

distribution_has_rustup() {
    case $manager in
        apt-get)
            if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then refresh_lists; fi
            apt-cache show rustup >/dev/null 2>&1
            ;;
        dnf) dnf -q info rustup >/dev/null 2>&1 ;;
        pacman) true ;;
        *) false ;;
    esac
}

get_rustup() {
    local parts=(--profile minimal --component rustfmt --component clippy)
    if distribution_has_rustup; then
        confirm "Rust can come through rustup: the package rustup of your distribution (it may replace its rustc and cargo), then 'rustup toolchain install stable' into $RUSTUP_HOME."
        install_packages rustup
        # Fedora's package brings the installer, Debian's and Arch's bring rustup itself.
        if command -v rustup >/dev/null; then
            rustup toolchain install stable "${parts[@]}"
            rustup default stable
        else
            rustup-init -y --no-modify-path "${parts[@]}"
        fi
    else
        confirm "Rust can come through rustup: its official installer, https://sh.rustup.rs, puts it in $CARGO_HOME and $RUSTUP_HOME. Your shell's files stay as they are."
        need rustup build # the build's certificates are needed to fetch rustup, too
        curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
            RUSTUP_INIT_SKIP_PATH_CHECK=yes sh -s -- -y --no-modify-path "${parts[@]}" ||
            die 'the installer of rustup failed'
    fi
}

need_rust() {
    if ! find_rust; then
        local found
        found=$(rust_found) || found=none
        say "Rust $(rust_wanted) or newer is needed, found: $found"
        if command -v rustup >/dev/null; then
            confirm "rustup is here: 'rustup update stable' brings the newest Rust."
            rustup update stable
        else
            get_rustup
        fi
        hash -r
        find_rust || die "still no Rust $(rust_wanted) or newer: $(rustc --version 2>&1 || true)"
    fi
}

need_lints() {
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 && return
    command -v rustup >/dev/null || die "cargo fmt or cargo clippy is missing: install your distribution's rustfmt and clippy"
    confirm "rustfmt or clippy is missing: 'rustup component add rustfmt clippy' brings them."
    rustup component add rustfmt clippy
}
