#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""workflow.py [-x STEP] FILE REPOSITORY WORKSPACE ARTIFACTS - run a workflow as GitHub Actions does.

The steps of FILE run in order, each by the shell and with the conditions that GitHub documents.
Two actions are replaced: actions/checkout clones REPOSITORY into WORKSPACE, and
actions/upload-artifact copies its files into a directory of ARTIFACTS. A key, condition or action
that is not known here is an error, so that no part of a workflow is ignored.
-x leaves out the step of this name. Exit status: 0 if all steps succeed, 1 if a step fails, 2 if
the workflow cannot be run here.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import yaml

SHELLS = {
    None: ["bash", "-e"],
    "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
    "sh": ["sh", "-e"],
}


class Invalid(Exception):
    """The workflow has a part that cannot be run here."""


def check_keys(what, got, known):
    unknown = set(got) - set(known)
    if unknown:
        raise Invalid(f"invalid key '{sorted(map(str, unknown))[0]}' of {what} "
                      f"(expected {', '.join(known)})")


def upload(inputs, workspace, artifacts):
    """Copy the files. An artifact without files is a failure here, and a warning at GitHub."""
    check_keys("actions/upload-artifact", inputs, ("name", "path"))
    target = os.path.join(artifacts, inputs["name"])
    os.makedirs(target)
    files = [name for pattern in inputs["path"].split()
             for name in glob.glob(os.path.join(workspace, pattern))]
    for name in files:
        shutil.copy(name, target)
    return 0 if files else 1


def run_action(step, args):
    inputs = step.get("with", {})
    if step["uses"] == "actions/checkout@v4":
        check_keys("actions/checkout", inputs, ())
        return subprocess.call(["git", "clone", "-q", args.repository, args.workspace])
    if step["uses"] == "actions/upload-artifact@v4":
        return upload(inputs, args.workspace, args.artifacts)
    raise Invalid(f"invalid action '{step['uses']}' (add it to tests/docs/workflow.py)")


def run_script(step, args):
    if step.get("shell") not in SHELLS:
        raise Invalid(f"invalid shell '{step['shell']}' (expected bash or sh)")
    with tempfile.NamedTemporaryFile("w", suffix=".sh", encoding="utf-8") as script:
        script.write(step["run"])
        script.flush()
        return subprocess.call(SHELLS[step.get("shell")] + [script.name], cwd=args.workspace,
                               stdin=subprocess.DEVNULL)


def run_job(job, args):
    """Run the steps. Return 1 if one fails."""
    check_keys("a job", job, ("runs-on", "steps"))
    result = 0
    for step in job["steps"]:
        check_keys("a step", step, ("name", "if", "uses", "with", "run", "shell"))
        name = step.get("name") or step.get("uses") or step["run"]
        if step.get("if", "success()") not in ("success()", "always()"):
            raise Invalid(f"invalid condition '{step['if']}' (expected always())")
        if name == args.without or (result and step.get("if") != "always()"):
            print(f"== {name}: skipped", flush=True)
            continue
        print(f"== {name}", flush=True)
        status = run_action(step, args) if "uses" in step else run_script(step, args)
        print(f"== {name}: status {status}", flush=True)
        result = result or int(status != 0)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-x", dest="without")
    for name in ("file", "repository", "workspace", "artifacts"):
        parser.add_argument(name)
    args = parser.parse_args()
    with open(args.file, encoding="utf-8") as file:
        workflow = yaml.safe_load(file)
    os.makedirs(args.workspace)
    try:
        # In YAML 1.1, the key "on" is a truth value.
        check_keys("a workflow", workflow, ("name", True, "jobs"))
        return max(run_job(job, args) for job in workflow["jobs"].values())
    except Invalid as error:
        print(f"{args.file}: {error}", file=sys.stderr)
        return 2


sys.exit(main())
