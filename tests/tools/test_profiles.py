# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The profile of casper calibrate: its file, which entry holds for a run, and who tells."""

import json
from dataclasses import asdict, replace

import launcher_support as support
import pytest
from casper_cli import calibrate, choose, cli, launch, machine, mpilib, plan, profiles, transport
from casper_cli.errors import CasperError, UsageError
from casper_cli.placement import HOSTS, VIRTUAL, Placement
from casper_cli.profiles import Deployment

HERE = Deployment("MPICH 5.0.2", "ofi", False, "Fast CPU", 1, 4, 2)
FOUND = {"low": 55, "high": 72, "by_targets": {}, "combinations": []}


def entry(low=55, high=72, **changes):
    return {**asdict(replace(HERE, **changes)), "low": low, "high": high}


def match(entries, **changes):
    return profiles.match(entries, "FILE", replace(HERE, **changes))


def test_the_same_deployment():
    found = match([entry(1, 2, ghosts=2), entry()])
    assert (found.number, found.low, found.high, found.exact) == (2, 55, 72, True)
    assert found.text == "entry 2 of FILE: 55, 72"


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"mpi": "Open MPI 4.1.4"}, "MPICH 5.0.2 instead of Open MPI 4.1.4"),
        ({"transport": "ucx"}, "transport ofi instead of ucx"),
        ({"virtual": True}, "real nodes instead of virtual nodes"),
        ({"cpu": "Slow CPU"}, "Fast CPU instead of Slow CPU"),
        ({"ghosts": 2}, "ghosts per node: 1 instead of 2"),
        ({"users_per_node": 9}, "users per node: 4 instead of 9"),
        ({"users_per_node": 1}, "users per node: 4 instead of 1"),
        ({"nodes": 9}, "nodes: 2 instead of 9"),
    ],
)
def test_an_entry_for_something_else_is_not_used(changes, said):
    found = match([entry()], **changes)
    assert (found.number, found.low, found.high, found.exact) == (0, 60, 80, False)
    assert said in found.text and "the nearest, 1," in found.text
    assert found.text.endswith("defaults 60, 80")


@pytest.mark.parametrize(
    "changes, number",
    [
        ({"users_per_node": 8}, 1),  # twice as many
        ({"users_per_node": 2}, 1),
        ({"users_per_node": 10}, 2),  # nearer to 16 than to 4
        ({"users_per_node": 6}, 1),
        ({"users_per_node": 12, "nodes": 6}, 2),
        ({"users_per_node": 16, "nodes": 60}, 3),
        ({"users_per_node": 4, "nodes": 8}, 1),
    ],
)
def test_the_nearest_numbers_are_used_and_named(changes, number):
    entries = [entry(10, 20), entry(30, 40, users_per_node=16), entry(users_per_node=16, nodes=64)]
    found = match(entries, **changes)
    assert found.number == number and not found.exact
    assert "it is for" in found.text and "instead of" in found.text


def test_users_per_node_count_more_than_nodes():
    found = match([entry(nodes=2, users_per_node=6), entry(10, 20, nodes=8)], nodes=2)
    assert found.low == 10


def test_without_entries_or_thresholds_the_defaults_hold():
    assert match([]).text == "no profile (FILE): defaults 60, 80"
    found = match([entry(None, None)])
    assert (found.number, found.low, found.high) == (0, 60, 80)
    assert "found no thresholds" in found.text


# The file


def test_an_entry_is_replaced_and_others_stay(tmp_path):
    path = tmp_path / "new/folder/profile.json"
    profiles.store(path, HERE, FOUND)
    profiles.store(path, replace(HERE, ghosts=2), {**FOUND, "low": 1})
    profiles.store(path, HERE, {**FOUND, "low": 2})
    assert [(e["ghosts"], e["low"]) for e in profiles.load(path)] == [(2, 1), (1, 2)]
    assert [p.name for p in path.parent.iterdir()] == ["profile.json"]
    assert profiles.load(tmp_path / "none.json") == []


def test_a_place_that_cannot_be_written_is_found_before(tmp_path):
    with pytest.raises(CasperError, match="cannot be written"):
        profiles.check_writable("/proc/no/p.json")
    profiles.check_writable(tmp_path / "new/p.json")
    assert not list((tmp_path / "new").iterdir())


def text_of(*entries, **changes):
    return json.dumps({"casper_profile": 1, "entries": list(entries), **changes})


@pytest.mark.parametrize(
    "text, said",
    [
        ("{", "line 1 column 2"),
        ("[]", "no list 'entries'"),
        (text_of(entries=None), "no list 'entries'"),
        (text_of(casper_profile=2), "'casper_profile' must be 1"),
        (text_of("x"), "entry 1 is not an object"),
        (text_of(entry(), {}), "entry 2: 'mpi' must be a str"),
        (text_of({**entry(), "nodes": "2"}), "entry 1: 'nodes' must be a int"),
        (text_of({**entry(), "ghosts": True}), "entry 1: 'ghosts' must be a int"),
        (text_of({**entry(), "ghosts": 0}), "entry 1: 'ghosts' must be at least 1"),
        (text_of(entry(low=101, high=102)), "must be whole percent"),
        (text_of(entry(low=5.5)), "must be whole percent"),
        (text_of(entry(low=None)), "'low' is None and 'high' is 72"),
        (text_of(entry(low=80)), "'low' is 80 and 'high' is 72"),
    ],
)
def test_a_wrong_file_is_an_error_that_says_what(tmp_path, text, said):
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(CasperError) as caught:
        profiles.load(path)
    assert str(path) in caught.value.cause and said in caught.value.cause
    assert "casper calibrate" in caught.value.remedy
    with pytest.raises(CasperError):
        profiles.store(path, HERE, FOUND)  # and is not overwritten
    assert path.read_text() == text


def test_where_the_file_is():
    assert profiles.default_path({"HOME": "/h"}) == "/h/.config/casper/profile.json"
    env = {"HOME": "/h", "XDG_CONFIG_HOME": "/x"}
    assert profiles.default_path(env) == "/x/casper/profile.json"
    assert profiles.default_path({**env, "CSP_PROFILE": "/p"}) == "/p"


# What a run is


MPICH5 = mpilib.MpiLibrary("/l", "libmpi.so.12", "mpich", "5.0.2", "Device: ch4:ucx ofi\nx")
OMPI5 = mpilib.MpiLibrary("/o", "libmpi.so.40", "openmpi", "5.0.11")
INTEL = mpilib.MpiLibrary("/i", "libmpi.so.12", "intel", "2021.18.1")
REAL = Placement((4, 4), 1, HOSTS, ("a", "b"))
ACTED = Placement((2, 2), 1, VIRTUAL)


@pytest.mark.parametrize(
    "mpi, where, more, label",
    [
        (MPICH5, REAL, {}, "ucx"),
        (MPICH5, REAL, {"env": {"UCX_TLS": "rc"}}, "ucx UCX_TLS=rc"),
        (MPICH5, REAL, {"rank_env": {"MPIR_CVAR_CH4_NETMOD": "ofi"}}, "ofi"),
        (MPICH5, REAL, {"launcher_args": ["-genv", "FI_PROVIDER", "cxi"]}, "ucx FI_PROVIDER=cxi"),
        (MPICH5, ACTED, {}, "ofi FI_PROVIDER=tcp"),
        (OMPI5, REAL, {}, "default"),
        (OMPI5, REAL, {"env": {"OMPI_MCA_pml": "ucx"}}, "pml=ucx"),
        (OMPI5, REAL, {"launcher_args": ["--mca", "osc", "rdma"]}, "osc=rdma"),
        (OMPI5, ACTED, {}, "pml=ob1 btl=tcp,sm,self osc=^ucx"),
        (INTEL, ACTED, {}, "FI_PROVIDER=tcp"),
    ],
)
def test_the_transport(mpi, where, more, label):
    made = launch.Plan(mpi, "mpich", "mpiexec", where, ["app"], **more)
    assert transport.label(made) == label


def test_the_processor(tmp_path):
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: Some  CPU (R) @ 2 GHz\n")
    assert machine.cpu_model(str(info)) == "Some CPU (R) @ 2 GHz"
    assert machine.cpu_model(str(tmp_path / "none")) == ""


# casper run, env and config


@pytest.fixture
def site(tmp_path):
    """A fake MPICH, a program, a Casper build, and a profile with an entry for two virtual nodes."""
    support.write_elf(tmp_path / "lib/libmpich.so.12", soname="libmpich.so.12")
    support.write_mpiexec(tmp_path / "bin/mpiexec", "mpich", "4.0.2")
    app = support.write_elf(tmp_path / "app", ["libmpich.so.12"], runpath="$ORIGIN/lib")
    build = support.write_build(tmp_path / "build", "libmpich.so.12")
    env = {"CSP_LIBRARY": build, "CSP_PROFILE": str(tmp_path / "p.json"), "PATH": "/usr/bin:/bin"}
    args = cli.parse(["run", "-n", "4", "--virtual-nodes", "2", app])[0]
    made, _ = plan.make(args, args.command, env)
    profiles.store(env["CSP_PROFILE"], transport.deployment(made), FOUND)
    return app, {**env, "CSP_AUTO_METHOD": "profile_ghosts"}


PROFILED = "-genv CSP_LOW_CR 55 -genv CSP_HIGH_CR 72"


def dry(site, *words, **env):
    app, known = site
    words = ["run", "-n", 4, "--virtual-nodes", 2, "--dry-run", *words, app]
    return support.casper(*words, env={**known, **env})


def test_run_sets_the_thresholds_and_tells(site):
    done = dry(site)
    assert PROFILED in done.stdout
    assert done.stdout.startswith("env -u CSP_LIBRARY -u CSP_PROFILE ")  # of the command alone
    assert done.stdout.count("CSP_PROFILE") == 1
    assert "thresholds   entry 1 of" in done.stderr and "p.json: 55, 72" in done.stderr
    assert "warn" not in done.stderr


@pytest.mark.parametrize(
    "env", [{"CSP_AUTO_METHOD": "measure"}, {"CSP_LOW_CR": "50"}, {"CSP_HIGH_CR": "90"}]
)
def test_run_leaves_them_alone(site, env):
    done = dry(site, **env)
    assert "CR" not in done.stdout and "thresholds" not in done.stderr


def test_thresholds_for_the_ranks_alone_count_as_set(site):
    done = dry(site, "--env", "CSP_LOW_CR=33")
    assert "CSP_LOW_CR 33" in done.stdout and "CSP_HIGH_CR" not in done.stdout


def test_run_takes_no_entry_for_other_ghosts(site):
    done = dry(site, "-g", 2)
    assert "CSP_LOW_CR" not in done.stdout
    assert "ghosts per node: 1 instead of 2: defaults 60, 80" in done.stderr


def test_run_warns_unless_the_entry_is_for_just_this_run(site):
    app, env = site
    job = ["run", "--virtual-nodes", 2]
    done = support.casper(*job, "-n", 8, app, env=env)
    assert done.returncode == 0, done.stderr
    assert "casper: warn: CSP_LOW_CR, CSP_HIGH_CR: entry 1" in done.stderr
    assert "users per node: 2 instead of 4" in done.stderr
    assert support.casper(*job, "-n", 4, app, env=env).stderr == ""
    said = support.casper(*job, "-n", 4, app, env={**env, "CSP_LOG": "info"}).stderr
    assert said.startswith("casper: info: CSP_LOW_CR, CSP_HIGH_CR: entry 1 of")
    none = support.casper(*job, "-n", 4, app, env={**env, "CSP_PROFILE": "/none"})
    assert "no profile (/none): defaults 60, 80" in none.stderr


def test_run_refuses_a_broken_profile(site):
    app, env = site
    with open(env["CSP_PROFILE"], "w") as file:
        file.write("{")
    done = dry(site)
    assert done.returncode == 1 and "is no profile" in done.stderr
    assert dry(site, CSP_AUTO_METHOD="measure").returncode == 0
    done = support.casper("config", "--brief", env=env)
    assert done.returncode == 1 and "is no profile" in done.stderr


def test_env_exports_them(site):
    app, env = site
    done = support.casper("env", "-n", 4, "--virtual-nodes", 2, app, env=env)
    assert "export CSP_LOW_CR=55\nexport CSP_HIGH_CR=72\n" in done.stdout


def test_config_shows_the_profile(site):
    app, env = site
    done = support.casper("config", "--brief", env=env)
    assert f"profile {env['CSP_PROFILE']}" in done.stdout
    assert "2 virtual nodes of 2 user(s) and 1 ghost(s)" in done.stdout
    assert "on below 55 %, off above 72 %" in done.stdout
    assert "  CSP_LOW_CR=60\n" in done.stdout
    done = support.casper("config", "--brief", env={"CSP_PROFILE": "/none"})
    assert "no profile (/none): defaults 60, 80" in done.stdout


def test_config_shows_what_a_run_would_get(site):
    app, env = site
    mpi = app.replace("app", "lib/libmpich.so.12")
    words = ["config", "-n", 4, "--virtual-nodes", 2, "--mpi", mpi]
    done = support.casper(*words, "--json", env=env)
    data = json.loads(done.stdout)
    rows = {row["name"]: (row["value"], row["origin"]) for row in data["variables"]}
    assert rows["CSP_LOW_CR"] == ("55", "profile") and rows["CSP_HIGH_CR"] == ("72", "profile")
    assert data["profile"]["run"]["entry"] == 1 and len(data["profile"]["entries"]) == 1
    done = support.casper(*words, "--brief", env=env)
    assert "+ CSP_LOW_CR=55\n" in done.stdout and "for this run: entry 1 of" in done.stdout
    done = support.casper(*words, "-g", 2, "--brief", env=env)
    assert "  CSP_LOW_CR=60\n" in done.stdout and "defaults 60, 80" in done.stdout
    done = support.casper(*words, "--brief", env={**env, "CSP_LOW_CR": "50"})
    assert "* CSP_LOW_CR=50\n" in done.stdout and "not used" in done.stdout


# casper calibrate, without running anything


def test_combinations():
    every = calibrate.combinations(calibrate.parse_only(None))
    assert len(every) == len(set(every)) == 3 * 2 * 2 * 2 * 2 + 4
    assert {c.bytes for c in every if c.op == "fop"} == {8}
    only = calibrate.parse_only(["op=put,cas", "flush=each", "targets=node", "bytes=64"])
    words = [c.word(0.0015) for c in calibrate.combinations(only)]
    assert words == [
        "put,contiguous,each,node,2,0.001500000",
        "put,strided,each,node,2,0.001500000",
        "cas,contiguous,each,node,1,0.001500000",
    ]
    for item, said in (("targetz=all", "did you mean targets?"), ("op=putt", "put, get")):
        with pytest.raises(UsageError) as caught:
            calibrate.parse_only([item])
        assert said in caught.value.remedy


@pytest.mark.parametrize(
    "words, said",
    [
        (["-n", 2], "inside one node"),
        (["-n", 2, "--virtual-nodes", 2, "-g", 0], "without ghosts"),
        (["-n", 2, "--virtual-nodes", 2, "--minutes", 0], "minutes, 0.05"),
    ],
)
def test_what_cannot_be_measured_is_refused(site, words, said):
    app, env = site
    support.write_elf(app.replace("app", "build/bin/rate_check"), ["libmpich.so.12"])
    mpi = app.replace("app", "lib/libmpich.so.12")
    done = support.casper("calibrate", *words, "--mpi", mpi, env=env)
    assert done.returncode == 2 and said in done.stderr


PRINTS = """echo '{"ranks": 2, "nodes": 2}'
echo '{"iterations": 1, "on": [[2, 50]], "off": [[1, 51]]}'
"""


@pytest.mark.parametrize(
    "then, count", [("printf '{\"iterat'; exec sleep 60", 1), ("exit 0", 1), ("exit 3", None)]
)
def test_what_a_job_printed_before_its_time_was_over_counts(site, monkeypatch, then, count):
    app, env = site
    root = app[: -len("app")]
    support.write_elf(root + "build/bin/rate_check", ["libmpich.so.12"])
    support.write_mpiexec(root + "bin/mpiexec", "mpich", "4.0.2", PRINTS + then)
    monkeypatch.setattr(calibrate, "JOB_S", 2)
    mpi = root + "lib/libmpich.so.12"
    args = cli.parse(["calibrate", "-n", "2", "--virtual-nodes", "2", "--mpi", mpi])[0]
    job = calibrate.Machine(args, choose.choose(args, [], env), env)
    every = calibrate.combinations(calibrate.parse_only(["op=fop"]))
    wanted = [(combination, 0.001) for combination in every]
    if count is None:
        with pytest.raises(CasperError, match="exit code 3"):
            job.measure(wanted, 0.01)
    else:
        assert job.measure(wanted, 0.01) == [[((2, 50), (1, 51))]]
