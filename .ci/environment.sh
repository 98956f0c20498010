# Sourced by .ci/run and .ci/full from the project's folder: makes or reuses .ci/env, sets `bin`, and
# gives `step` and `finish`.

usable() { # PYTHON: new enough, and able to make an environment
  "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

env=.ci/env
bin=$env/bin
# The installed packages follow pyproject.toml alone, so its text is the key of the environment.
if ! cmp -s pyproject.toml "$env/made-for.toml"; then
  for python in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3}; do
    if usable "$python"; then break; fi
    python=
  done
  if [[ -z $python ]]; then
    echo "no Python 3.11 or newer with venv and ensurepip found; set PYTHON" >&2
    exit 1
  fi
  rm -rf "$env"
  "$python" -m venv "$env"
  install=("$bin/python" -m pip install --quiet --no-input --disable-pip-version-check -e)
  # jaxlib has wheels for some platforms and versions of Python only; the rest needs none.
  if ! "${install[@]}" '.[dev,xla,jax]'; then
    echo "jaxlib cannot be installed here: the comparisons with XLA's own pass will be skipped" >&2
    "${install[@]}" '.[dev]'
  fi
  cp pyproject.toml "$env/made-for.toml"
fi

# Reports are tested in a browser, which is no Python package.
if ! command -v chromedriver >/dev/null && [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null; then
  browser=(apt-get install --yes --quiet=2 --no-install-recommends chromium chromium-driver)
  { apt-get update --quiet=2 && DEBIAN_FRONTEND=noninteractive "${browser[@]}"; } >/dev/null 2>&1 ||
    echo "Chromium cannot be installed here: the tests of reports in a browser will be skipped" >&2
fi

failed=()
step() { # NAME COMMAND...: runs a check, remembers its failure and goes on
  printf '\n== %s\n' "$1"
  local begin=$SECONDS
  if "${@:2}"; then
    printf -- '-- %s: passed, %d s\n' "$1" $((SECONDS - begin))
  else
    printf -- '-- %s: FAILED, %d s\n' "$1" $((SECONDS - begin))
    failed+=("$1")
  fi
}

finish() { # leaves with 1 if any step failed
  if ((${#failed[@]})); then
    printf '\nfailed: %s\n' "${failed[*]}" >&2
    exit 1
  fi
  printf '\nall passed, %d s\n' "$SECONDS"
}
