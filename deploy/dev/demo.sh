# shellcheck shell=bash
# The demo account: .dev/env for scripts, and lines to try for people.

