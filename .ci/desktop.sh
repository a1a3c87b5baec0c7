# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A private desktop for tests and pictures, and the recorded sessions shown on it. Read by ./dev, which defines panel,
# player and hook.

# --- A private desktop: a display, a session bus, a home, all gone at the end -----------------------------------

session=
session_env=()

# Everything started in a session carries its mark, so that what a bus or a test started is found at the end as well.
in_session() { env "${session_env[@]}" "$@"; }
session_pids() { grep -lszxF "DASBO_DEV_SESSION=$session" /proc/[0-9]*/environ | cut -d/ -f3; }
session_is_empty() { [ -z "$(session_pids)" ]; }

wait_until() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

end_session() {
    [ -n "$session" ] || return 0
    local signal pids
    for signal in TERM KILL; do
        mapfile -t pids < <(session_pids)
        [ ${#pids[@]} -gt 0 ] || break
        kill -s "$signal" "${pids[@]}" 2>/dev/null || true
        wait_until 5 session_is_empty && break
    done
    rm -rf "$session"
    session=
}

open_session() {
    session=$(mktemp -d -t dasbo.XXXXXX)
    trap end_session EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    session_env=("DASBO_DEV_SESSION=$session" "DASBO_BIN=$panel" "DASBO_HOOK_BIN=$hook")
}

# Of the caller's own desktop, agents and terminal nothing may leak into a test.
forget_desktop() {
    local name
    for name in $(compgen -e); do
        case $name in
            XDG_* | DBUS_* | DASBO_* | GTK_* | GDK_* | GSK_* | GIO_* | ADW_* | AT_SPI_* | DESKTOP_* | WAYLAND_* | XAUTHORITY | \
                ANTHROPIC_* | CLAUDE* | CODEX* | GEMINI* | TMUX* | STY | KITTY_* | VTE_* | TERM_PROGRAM*)
                session_env=(-u "$name" "${session_env[@]}")
                ;;
        esac
    done
}

make_home() {
    local config=$session/home/.config/gtk-4.0
    mkdir -p "$config" "$session/services"
    mkdir -m 700 "$session/run"
    # The font and stillness of a GNOME desktop with reduced motion. Without a compositor GTK draws a thick frame: not here.
    printf '%s\n' '[Settings]' 'gtk-font-name=Cantarell 11' gtk-enable-animations=false >"$config/settings.ini"
    echo 'window.solid-csd { border: none; box-shadow: none; padding: 0; }' >"$config/gtk.css"
    if [ -e "$HOME/.npmrc" ]; then session_env+=("npm_config_userconfig=$HOME/.npmrc"); fi
    session_env+=("CARGO_HOME=$CARGO_HOME" "RUSTUP_HOME=$RUSTUP_HOME" "HOME=$session/home" "XDG_RUNTIME_DIR=$session/run"
        LC_ALL=C.UTF-8 NO_AT_BRIDGE=1 GTK_A11Y=none GDK_BACKEND=x11 GSK_RENDERER=cairo LIBGL_ALWAYS_SOFTWARE=1
        GSETTINGS_BACKEND=memory GIO_USE_VFS=local GIO_USE_VOLUME_MONITOR=unix ADW_DISABLE_PORTAL=1)
}

# Start a server that reports where it listens on descriptor 3, and wait for that report.
start_server() { # NAME COMMAND...
    local name=$1
    shift
    mkfifo "$session/$name"
    in_session "$@" 3>"$session/$name" >"$session/$name.log" 2>&1 &
    disown
    if ! read -rt 30 address <"$session/$name"; then
        cat "$session/$name.log" >&2
        die "$name did not start"
    fi
}

# Only the two services of accessibility can be started through this bus: nothing of the user's, nothing that makes noise.
# Its socket has a path, so that it can be reached from another network namespace.
write_bus_config() {
    local service
    for service in org.a11y.Bus org.a11y.atspi.Registry; do
        cp "/usr/share/dbus-1/services/$service.service" "$session/services/" 2>/dev/null || true
    done
    cat >"$session/bus.conf" <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=$session/run/bus</listen>
  <auth>EXTERNAL</auth>
  <servicedir>$session/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
XML
}

open_private_session() {
    local address
    open_session
    forget_desktop
    make_home
    write_bus_config
    start_server display Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp
    session_env+=("DISPLAY=:$address")
    start_server bus dbus-daemon "--config-file=$session/bus.conf" --nofork --nopidfile --print-address=3
    session_env+=("DBUS_SESSION_BUS_ADDRESS=$address")
}

accessible() { in_session env -u NO_AT_BRIDGE GTK_A11Y=atspi "$@"; }

# --- The demo: recorded sessions, played through the real helper ------------------------------------------------

panel_answers() { in_session "$panel" status >/dev/null 2>&1; }
panel_settled() { panel_answers || ! kill -0 "$panel_pid" 2>/dev/null; }

start_panel() { # VARIABLE=VALUE...
    if panel_answers; then die 'a panel is already running on this desktop: quit it first'; fi
    in_session "$@" "$panel" 2>"$session/panel.log" &
    panel_pid=$!
    if ! wait_until 30 panel_settled || ! panel_answers; then
        cat "$session/panel.log" >&2
        die 'the panel did not start'
    fi
}

play() {
    local line
    mkfifo "$session/play" "$session/hold"
    exec 5<>"$session/hold" # the agents stay as long as this is open
    in_session "$player" --hook "$hook" fixtures/demo.play <&5 >"$session/play" 2>"$session/play.log" &
    disown
    exec 4<"$session/play"
    while read -rt 60 -u 4 line; do
        if [ "$line" = played ]; then return; fi
    done
    cat "$session/play.log" >&2
    die 'the recorded sessions could not be played'
}

# The window has come to rest when it shows more than the empty screen twice in the same way.
take_picture() {
    local before=$picture colours
    in_session import -window root "$session/picture.png" 2>>"$session/picture.log" || return 1
    read -r colours picture < <(identify -format '%k %#\n' "$session/picture.png")
    [ "$colours" -gt 16 ] && [ "$picture" = "$before" ]
}

save_picture() { # FILE
    local picture=
    wait_until 20 take_picture || die "the window did not come to rest ($(cat "$session/picture.log"))"
    mogrify -trim +repage "$session/picture.png"
    cp "$session/picture.png" "$1"
}

show_privately() { # FILE VARIABLE=VALUE...
    local file=$1
    shift
    open_private_session
    start_panel "$@"
    play
    save_picture "$file"
    in_session "$panel" status
    echo "A picture of the panel: $file"
}
