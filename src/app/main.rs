// SPDX-License-Identifier: GPL-3.0-or-later

fn main() -> std::process::ExitCode {
    dasbo::main()
}
