"""Checks workflows, the action, the composition and the manifest by their schemas, and expressions by actionlint's rules.

The schemas come with check-jsonschema and kubernetes-validate, so nothing is fetched.
"""

import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = [*sorted((ROOT / ".github/workflows").glob("*.yml")), *sorted((ROOT / "Fixtures/ci").glob("*.yml"))]
CONTEXTS = {"github", "env", "vars", "job", "jobs", "steps", "runner", "secrets", "strategy", "matrix", "needs", "inputs"}
FUNCTIONS = {"hashFiles", "contains", "startsWith", "endsWith", "format", "join", "toJSON", "fromJSON", "success", "always",
             "cancelled", "failure"}


def run(module, *arguments):
    subprocess.run([Path(sys.executable).parent / module, *arguments], check=True, stdout=subprocess.DEVNULL)


def expressions(value):
    """Everything inside `${{ }}`, anywhere in a value."""
    if isinstance(value, dict):
        return [each for part in value.values() for each in expressions(part)]
    if isinstance(value, list):
        return [each for part in value for each in expressions(part)]
    return re.findall(r"\$\{\{(.*?)\}\}", value, re.DOTALL) if isinstance(value, str) else []


def check_expressions(where, value, known):
    """Checks that contexts and functions exist, and the names in `known`: steps, matrix, needs, inputs, outputs."""
    for expression in expressions(value):
        bare = re.sub(r"'[^']*'", "", expression)
        for name, member in re.findall(r"(?<![.\w])([A-Za-z_]\w*)(?:\.([\w-]+))?", bare):
            assert name in CONTEXTS | FUNCTIONS, f"{where}: there is no {name} in {expression}"
            if name in known:
                assert member in known[name], f"{where}: there is no {name}.{member}; there are {sorted(known[name])}"


def check_steps(where, steps, needs_shell=False):
    for step in steps:
        assert ("uses" in step) != ("run" in step), f"{where}: a step either uses or runs: {step}"
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@v\d+(\.\d+)*|\./.*", step.get("uses", "./")), f"{where}: {step['uses']}"
        assert not needs_shell or "uses" in step or "shell" in step, f"{where}: a step of an action names its shell"
        # External text in a script could contain commands.
        assert not re.search(r"\$\{\{\s*(github\.event|inputs)\b", step.get("run", "")), f"{where}: {step['run']}"
    return {step["id"] for step in steps if "id" in step}


def check_workflow(path):
    workflow = yaml.safe_load(path.read_text())
    jobs = workflow["jobs"]
    for name, job in jobs.items():
        where = f"{path.name}, {name}"
        needs = job.get("needs", [])
        needs = {needs} if isinstance(needs, str) else set(needs)
        assert needs <= set(jobs) - {name}, f"{where}: {needs}"
        assert "timeout-minutes" in job, f"{where}: no time limit"
        matrix = job.get("strategy", {}).get("matrix", {})
        keys = {key for key in matrix if key != "include"} | {key for row in matrix.get("include", []) for key in row}
        known = {"needs": needs, "matrix": keys, "steps": check_steps(where, job["steps"])}
        check_expressions(where, job, known)
        assert "permissions" in job or "permissions" in workflow or path.parent.name == "ci", f"{where}: no permissions"


def check_action(path):
    action = yaml.safe_load(path.read_text())
    steps = check_steps(path.name, action["runs"]["steps"], needs_shell=True)
    check_expressions(path.name, action, {"inputs": set(action["inputs"]), "steps": steps})
    script = (ROOT / "action/run").read_text()
    used = set(re.findall(r"\$\{?(INPUT_\w+)", script))
    given = {name for step in action["runs"]["steps"] for name in step.get("env", {}) if name.startswith("INPUT_")}
    assert used == given == {"INPUT_" + name.upper().replace("-", "_") for name in action["inputs"]}, used ^ given
    assert set(re.findall(r"^ *give (\w+) ", script, re.MULTILINE)) == set(action["outputs"])


def main():
    for path in WORKFLOWS:
        run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(path))
        check_workflow(path)
    run("check-jsonschema", "--builtin-schema", "vendor.github-actions", str(ROOT / "action.yml"))
    check_action(ROOT / "action.yml")
    run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(ROOT / "deploy/compose.yaml"))
    run("kubernetes-validate", "--strict", "--quiet", str(ROOT / "deploy/kubernetes/fleet.yaml"))
    print(f"{len(WORKFLOWS)} workflows")


if __name__ == "__main__":
    main()
