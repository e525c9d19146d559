#!/bin/sh
# Judges a client in CI: runs its own tests against the fake, once for each scenario, and leaves the reports.
#
#   Fixtures/ci/contract.sh ./run-my-tests
#
# FITIQ_MOCK   the program (default: fitiq-mock)
# SCENARIOS    which scenarios, separated by spaces (default: the list below)
# REPORTS      where the reports go (default: reports)
# A file known-broken.txt beside the tests lists what is known to be broken.
set -eu

program=${FITIQ_MOCK:-fitiq-mock}
reports=${REPORTS:-reports}
[ $# -gt 0 ] || {
    echo "contract.sh: name the command that runs your tests: contract.sh ./run-my-tests" >&2
    exit 2
}
# Where nothing is judged, the reports of an earlier run must not stand for this one.
rm -f "$reports/contract.xml" "$reports/contract.json" "$reports/contract.md"
command -v "$program" >/dev/null || {
    echo "contract.sh: there is no program '$program'; set FITIQ_MOCK to where it is." >&2
    exit 2
}
mkdir -p "$reports"

options="--time-limit 10m"
for scenario in ${SCENARIOS:-default conflict drop-mid-stream flaky-500 meal-fails token-expires-mid-session}; do
    options="$options --scenario $scenario"
done
[ ! -f known-broken.txt ] || options="$options --known-broken known-broken.txt"

# Shows what is broken beside the run's steps.
[ -z "${GITHUB_ACTIONS:-}" ] || options="$options --annotations github"

status=0
# $options is several words; none of them has a space.
"$program" verify $options --junit "$reports/contract.xml" --json "$reports/contract.json" \
    --markdown "$reports/contract.md" -- "$@" || status=$?

# GitHub shows what is written to this file on the job's page.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$reports/contract.md" ]; then
    cat "$reports/contract.md" >>"$GITHUB_STEP_SUMMARY"
fi
case $status in
0) ;;
1) echo "contract.sh: the client breaks the contract, or its tests failed: see $reports/contract.md" >&2 ;;
4) echo "contract.sh: the tests never talked to the fake: do they read FITIQ_MOCK_URL?" >&2 ;;
*) echo "contract.sh: fitiq-mock could not do its work (exit $status)" >&2 ;;
esac
exit "$status"
