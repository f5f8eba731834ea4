#!/usr/bin/env python3
"""cluster.py FOLDER SCHEMAS: job.yaml is valid by Kubernetes' own schemas, and what its objects say
of each other agrees; train.slurm is a script that bash reads."""

import copy
import json
import pathlib
import re
import subprocess
import sys

folder, schemas = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (packaging/bootstrap.sh docs)")
    sys.exit(77)
if not schemas.exists():
    print(f"skipped: {schemas} is not there (packaging/bootstrap.sh docs)")
    sys.exit(77)


def complaints_of(thing):
    """What Kubernetes would refuse."""
    group, _, version = thing["apiVersion"].rpartition("/")
    parts = [thing["kind"].lower(), *([group.split(".")[0]] if group else []), version]
    # The schema and what it refers to as one document, so that nothing is looked up elsewhere.
    own, shared = (
        json.loads(re.sub(r'"[^"]*_definitions[.]json#', '"#', (schemas / name).read_text()))
        for name in ("-".join(parts) + ".json", "_definitions.json")
    )
    schema = {**shared, **own}
    schema.pop("$id", None)
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [
        f"{thing['kind']}: {'/'.join(map(str, error.path)) or 'the object'}: {error.message[:200]}"
        for error in validator.iter_errors(thing)
    ]


things = {thing["kind"]: thing for thing in yaml.safe_load_all((folder / "job.yaml").read_text())}
complaints = [complaint for thing in things.values() for complaint in complaints_of(thing)]
job, service, policy = things["Job"], things["Service"], things["NetworkPolicy"]
name, spec = job["metadata"]["name"], job["spec"]
container = spec["template"]["spec"]["containers"][0]
environment = {variable["name"]: variable["value"] for variable in container["env"]}
if spec["completionMode"] != "Indexed" or not spec["completions"] == spec["parallelism"] == int(
    environment["WORLD_SIZE"]
):
    complaints.append("the Job's completions, parallelism and WORLD_SIZE are not one number")
if (
    environment["MASTER_ADDR"] != f"{name}-0.{service['metadata']['name']}"
    or spec["template"]["spec"]["subdomain"] != service["metadata"]["name"]
):
    complaints.append("MASTER_ADDR is not the name that the Service gives to pod 0")
if int(environment["MASTER_PORT"]) != service["spec"]["ports"][0]["port"]:
    complaints.append("MASTER_PORT is not the Service's port")
if service["spec"]["selector"] != {"job-name": name} or policy["spec"]["podSelector"][
    "matchLabels"
] != {"job-name": name}:
    complaints.append("the Service or the NetworkPolicy does not select the Job's pods")

broken = copy.deepcopy(job)
broken["spec"]["completionMod"] = broken["spec"].pop("completionMode")
if not complaints_of(broken):
    complaints.append("the schemas allow a misspelt key, so they check nothing")
for script in (container["args"][0], (folder / "train.slurm").read_text()):
    read = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
    if read.returncode != 0:
        complaints.append(f"bash: {read.stderr.strip()}")
if complaints:
    sys.exit("\n".join(complaints))
print(f"job.yaml: {', '.join(things)} are valid; train.slurm reads")
