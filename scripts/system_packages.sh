#!/bin/sh
# Chromium, PostgreSQL and strace for the tests that need them. Never fails: what is missing is said here,
# and the tests that need it are skipped by name in pytest's summary.
missing=""
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 \
  || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
  || missing="$missing postgresql"
command -v strace >/dev/null 2>&1 || missing="$missing strace"
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing system packages:$missing (about a minute, once)"
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq >/dev/null 2>&1 \
    && apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1; then
    exit 0
  fi
  echo "apt-get could not install:$missing"
fi
echo "the tests that need$missing will be skipped; to run them, install with your package manager,"
echo "for example: sudo apt-get install$missing"
exit 0
