# shellcheck shell=bash
# Processes that outlive the command that started them. Each has in .dev/run/ a NAME.pid and a NAME.launch,
# which says with what it was started: so that `up` can leave alone what still is as it should be.

# Starts PROGRAM as NAME in a session of its own, with the environment of the caller, unless it runs
# already as the same file with the same settings.
service_ensure() {
  local name=$1 program=$2 launch
  shift
  launch=$(printf '%s\n%s' "$program" "$(settings_given | cksum)")
  if service_runs "$name"; then
    if [[ $(<"$state/run/$name.launch") == "$launch" && ! $program -nt $state/run/$name.pid ]]; then
      return
    fi
    say "restarting $name: its program or its settings changed"
    service_stop "$name"
  fi
  mkdir -p "$state/run" "$state/log"
  (exec_detached "$@") >>"$state/log/$name.log" 2>&1 &
  echo $! >"$state/run/$name.pid"
  printf '%s\n' "$launch" >"$state/run/$name.launch"
  # For a moment the process is still this shell, which does not count as running.
  until service_runs "$name" || ! kill -0 $! 2>/dev/null; do
    sleep 0.05
  done
}

# Waits until a command succeeds; fails, with the end of the log, when the service ends before that.
service_await() {
  local name=$1 waited=0
  shift
  until "$@" >/dev/null 2>&1; do
    if ! service_runs "$name" || ((waited++ >= 300)); then
      say "$name did not become ready; the end of .dev/log/$name.log:"
      tail -n 20 "$state/log/$name.log" >&2
      return 1
    fi
    sleep 0.2
  done
}

service_runs() {
  local run=$state/run/$1 pid program
  [[ -f $run.pid && -f $run.launch ]] || return 1
  pid=$(<"$run.pid")
  read -r program <"$run.launch"
  [[ "$(command_of "$pid") " == "$program "* ]]
}

service_stop() {
  local name=$1 pid waited=0
  if service_runs "$name"; then
    pid=$(<"$state/run/$name.pid")
    kill "$pid"
    while service_runs "$name"; do
      if ((waited++ >= 150)); then
        say "$name does not stop: killing it"
        kill -9 "$pid"
        break
      fi
      sleep 0.1
    done
  fi
  rm -f "$state/run/$name.pid" "$state/run/$name.launch"
}

# The settings of docs/settings.md that the environment has, as NAME=value.
settings_given() {
  local name
  for name in $(sed -n 's/^| \(`[A-Z].*`\) |.*|.*|$/\1/p' "$root/docs/settings.md" | grep -o '[A-Z][A-Z_]*[A-Z]' | sort -u); do
    [[ -z ${!name+set} ]] || printf '%s=%s\n' "$name" "${!name}"
  done
}
