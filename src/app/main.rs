// SPDX-License-Identifier: GPL-3.0-or-later

fn main() -> glib::ExitCode {
    dasbo::main()
}
