# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The command line of casper: usage errors, help, env, config, dry runs."""

import json
import os
import re

import launcher_support as support
import pytest
from casper_cli import check, cli, config, cores, plan
from casper_cli.errors import UsageError


@pytest.fixture
def site(tmp_path):
    """A fake MPICH with a program and a Casper build; the machine's own MPI is not needed."""
    support.write_elf(tmp_path / "lib/libmpich.so.12", soname="libmpich.so.12")
    support.write_mpiexec(tmp_path / "bin/mpiexec", "mpich", "4.0.2")
    app = support.write_elf(tmp_path / "app", ["libmpich.so.12"], runpath="$ORIGIN/lib")
    build = support.write_build(tmp_path / "build", "libmpich.so.12")
    return {"app": app, "build": build, "root": tmp_path, "env": {"CSP_LIBRARY": build}}


@pytest.mark.parametrize(
    "words, options, command",
    [
        (["-n", "4", "app", "-n", "9"], ["-n", "4"], ["app", "-n", "9"]),
        (["-n", "4", "--", "app", "--", "x"], ["-n", "4"], ["app", "--", "x"]),
        (["-n4", "--report", "app"], ["-n4", "--report"], ["app"]),
        (["--nodes=2", "-n", "4", "app"], ["--nodes=2", "-n", "4"], ["app"]),
        (["--env", "A=1", "-n", "4", "app", "--report"], ["--env", "A=1", "-n", "4"], None),
        (["-n", "4"], ["-n", "4"], []),
    ],
)
def test_options_end_at_the_program(words, options, command):
    _, subs = cli.make_parser()
    found = cli.split_program(subs["run"], words)
    assert found == (options, ["app", "--report"] if command is None else command)


@pytest.mark.parametrize(
    "words, cause, remedy",
    [
        (["rnu"], "no command 'rnu'", "casper run"),
        (["run", "-n", "2", "--vitual-nodes", "2", "app"], "--vitual-nodes", "--virtual-nodes"),
        (["run", "app"], "-n", "casper help run"),
        (["run", "-n", "many", "app"], "many", "casper help run"),
        (["run", "-n", "2"], "no program given", "casper run -n USERS"),
        (["run", "-n", "2", "--timeout", "0", "app"], "greater than 0", "help run"),
        (["run", "-n", "0", "APP"], "at least one user", "-n 1"),
        (["run", "-n", "1", "--nodes", "2", "APP"], "every node needs one", "-n 2"),
        (["run", "-n", "4", "--nodes", "2", "APP"], "nothing says which", "--virtual-nodes 2"),
        (["run", "-n", "4", "-g", "99", "APP"], "0 to 64", ""),
        (["run", "-n", "4", "--env", "A", "APP"], "not NAME=VALUE", "--env"),
        (["run", "-n", "4", "--mpi", "/nowhere", "APP"], "no MPI library there", "libmpi.so"),
        (["run", "-n", "4", "-g", "1", "--env", "CSP_NG=2", "APP"], "-g 1 and --env", "one of"),
        (["run", "-n", "4", "--env", "CSP_NG=two", "APP"], "CSP_NG=two", "Correct CSP_NG"),
        (["config", "--jsno"], "no option --jsno", "mean --json?"),
        (["check", "--jsno"], "no option --jsno", "mean --json?"),
        (["check", "--zzzzz"], "no option --zzzzz", "See casper help check."),
        (["check", "word"], "unrecognized arguments: word", "See casper help check."),
        (["calibrate", "-n", "2", "--minuts", "1"], "no option --minuts", "mean --minutes?"),
        (["report", "DIR", "--output"], "no option --output", "See casper help report."),
        (["check", "--launcher", "srun"], "no option --launcher", ""),
        (["help", "nothing"], "nothing", ""),
    ],
)
def test_usage_errors_name_cause_and_remedy(site, words, cause, remedy):
    words = [site["app"] if word == "APP" else word for word in words]
    done = support.casper(*words, env=site["env"])
    assert done.returncode == 2
    assert cause in done.stderr and remedy in done.stderr
    assert done.stderr.startswith("casper: error:") and "Traceback" not in done.stderr


def test_failures_are_1(site):
    done = support.casper("run", "-n", 2, "./no-such-program", env=site["env"])
    assert done.returncode == 1 and "program not found" in done.stderr
    other = support.write_build(site["root"] / "other", "libmpi.so.40")
    done = support.casper("run", "-n", 2, site["app"], env={"CSP_LIBRARY": other})
    assert done.returncode == 1 and "was built for" in done.stderr


def test_another_library_than_the_program_s_is_refused(site):
    """Before anything starts: the loader would end every rank with an undefined symbol."""
    other = support.write_elf(site["root"] / "other/libmpi.so.12", soname="libmpi.so.12")
    build = support.write_build(site["root"] / "other", "libmpi.so.12")
    words = ["run", "-n", 2, "--mpi", other]
    done = support.casper(*words, site["app"], env={"CSP_LIBRARY": build})
    assert done.returncode == 1 and "the program uses" in done.stderr, done.stderr
    assert "libmpich.so.12" in done.stderr and "Leave --mpi out" in done.stderr
    script = support.write_script(site["root"] / "script", "#!/bin/sh\nexit 0\n")
    done = support.casper(*words, "--dry-run", script, env={"CSP_LIBRARY": build})
    assert "the program uses" not in done.stderr


def test_a_program_into_which_casper_cannot_be_loaded(site):
    """Not without an error: ghosts would be users of it."""
    static = support.write_elf(site["root"] / "static")
    words = ["--mpi", site["root"] / "lib/libmpich.so.12", "--dry-run"]
    done = support.casper("run", "-n", 4, *words, static, "input", env=site["env"])
    assert done.returncode == 1 and "it is statically linked" in done.stderr
    assert "--plain" in done.stderr
    plain = support.casper("run", "-n", 4, "--plain", *words, static, "input", env=site["env"])
    assert plain.returncode == 0, plain.stderr
    starter = support.casper("run", "-n", 4, *words, static, site["app"], env=site["env"])
    assert starter.returncode == 0, starter.stderr
    os.chmod(site["app"], 0o4755)
    done = support.casper("run", "-n", 4, "--dry-run", site["app"], env=site["env"])
    assert done.returncode == 1 and "setuid" in done.stderr


def test_the_library_path_of_the_ranks_is_looked_at(tmp_path):
    """The program finds its library only by what --env says."""
    support.write_elf(tmp_path / "lib/libmpich.so.12", soname="libmpich.so.12")
    support.write_mpiexec(tmp_path / "bin/mpiexec", "mpich", "4.0.2")
    app = support.write_elf(tmp_path / "app", ["libmpich.so.12"])
    env = {"CSP_LIBRARY": support.write_build(tmp_path / "build", "libmpich.so.12")}
    words = ["run", "-n", 1, "--dry-run", "--env", f"LD_LIBRARY_PATH={tmp_path}/lib", app]
    done = support.casper(*words, env=env)
    assert done.returncode == 0, done.stderr
    assert f"{tmp_path}/lib/libmpich.so.12" in done.stderr


def test_values_without_a_blank():
    """Python 3.7 does not take them."""
    _, subs = cli.make_parser()
    words = ["-n4", "-g", "-n=2", "-v", "--env", "A=1", "-n", "4"]
    assert cli.separated(subs["run"], words) == ["-n", "4", *words[1:]]
    args, *_ = cli.parse(["run", "-n4", "-g2", "app", "-n9"])
    assert (args.users, args.ghosts, args.command) == (4, 2, ["app", "-n9"])


def test_check_names_a_preloaded_libcasper(site):
    said = check.preload_findings({"LD_PRELOAD": f"/t/libtool.so:{site['build']}"})
    assert len(said) == 1 and f"LD_PRELOAD holds {site['build']}: it was built for" in said[0]
    assert "libmpich.so.12" in said[0]
    assert "no such file" in check.preload_findings({"LD_PRELOAD": "/gone/libcasper.so"})[0].lower()
    assert check.preload_findings({"LD_PRELOAD": "/t/libtool.so"}) == []


@pytest.mark.parametrize(
    "allowed, env, restricted, words",
    [
        ({0}, {}, True, ["CPUs 0: a launcher", "one core only"]),
        ({0, 1, 2, 3}, {}, False, []),
        ({0, 1, 2, 3}, {"SLURM_CPU_BIND": "x"}, False, ["SLURM_CPU_BIND decides"]),
        ({1, 2}, {}, True, ["CPUs 1-2: a launcher"]),
    ],
)
def test_check_says_what_binding_leaves_to_ghosts(monkeypatch, allowed, env, restricted, words):
    monkeypatch.setattr(cores.machine, "CPU_DIR", "/nowhere")  # each CPU a core
    facts = cores.look(env, allowed, {0, 1, 2, 3})
    assert (facts["restricted"], facts["cores_online"]) == (restricted, 4)
    assert ("core of its own" in facts["verdict"]) == (len(allowed) > 1)
    said = cores.findings(facts)
    assert len(said) == len(words) and all(word in text for word, text in zip(words, said))


def test_check_prints_the_node_split(capsys):
    row = {"op": "PUT", "plain_wait_s": 0.3, "casper_wait_s": None, "verdict": "gap"}
    ranks = {"plain": [2], "casper": [1, 1]}
    check._print_gap({"compute_s": 0.3, "nodes": 1, "node_ranks": ranks, "rows": [row]})
    said = capsys.readouterr().out
    assert re.search(r"split, plain +1 node\(s\) with 2 rank", said), said
    assert re.search(r"split, casper +2 node\(s\) with 1, 1 rank", said), said


def test_version_and_help():
    assert support.casper("--version").stdout == f"casper {cli.__version__}\n"
    assert support.casper("help").returncode == 0
    assert "--virtual-nodes" in support.casper("help", "run").stdout
    assert support.casper().returncode == 2


def test_version_is_that_of_the_library():
    header = (support.ROOT / "include/casper/casper.h").read_text()
    assert f'CASPER_VERSION_STRING "{cli.__version__}"' in header


def test_dry_run_prints_the_line_alone(site):
    words = ["run", "-n", 4, "-g", 2, "--virtual-nodes", 2, "--report", "--env", "A=1", "--dry-run"]
    done = support.casper(*words, site["app"], "x y", env={**site["env"], "CSP_NG": "5"})
    assert done.returncode == 0
    assert done.stdout == (
        "env -u CSP_LIBRARY "  # it is this command's
        f"{site['root']}/bin/mpiexec -n 8 -genv MPIR_CVAR_NUM_CLIQUES 2 "
        "-genv MPIR_CVAR_CLIQUES_BY_BLOCK 1 "
        f"-genv LD_PRELOAD {site['build']} -genv CSP_NG 2 -genv CSP_STRICT 1 -genv CSP_USERS 4 "
        "-genv CSP_REPORT 1 -genv A 1 "
        f"{site['app']} 'x y'\n"
    )
    assert "8 = 4 users + 2 ghosts on each of 2 node(s)" in done.stderr


def test_threads_for_the_ranks_alone_count(site):
    job = {**site["env"], "SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "1"}
    job["SLURM_JOB_CPUS_PER_NODE"] = "4096"
    words = ["run", "-n", 1, "--launcher", "mpiexec", "--dry-run"]
    bound = support.casper(*words, site["app"], env=job)
    assert "-bind-to core" in bound.stdout, bound.stderr
    threads = support.casper(*words, "--env", "OMP_NUM_THREADS=4", site["app"], env=job)
    assert threads.returncode == 0 and "-bind-to" not in threads.stdout


def test_a_file_that_may_not_be_used_is_named(monkeypatch, capsys):
    def refuse(*_):
        raise PermissionError(13, "Permission denied", "/a/file")

    monkeypatch.setattr(cli, "dispatch", refuse)
    assert cli.main(["config"]) == 1
    assert "casper: error: /a/file: Permission denied" in capsys.readouterr().err


def test_no_ghosts_still_preloads(site):
    done = support.casper("run", "-n", 2, "-g", 0, "--dry-run", site["app"], env=site["env"])
    assert "-n 2 " in done.stdout and "LD_PRELOAD" in done.stdout and "CSP_NG 0" in done.stdout


def test_plain_has_no_casper(site):
    done = support.casper("run", "-n", 2, "--plain", "--dry-run", site["app"])
    assert "-n 2 " in done.stdout
    assert "LD_PRELOAD" not in done.stdout
    assert re.findall(r"CSP_\w+ \S+", done.stdout) == ["CSP_NG 0"]  # for programs linked to it


def test_several_programs_are_refused(site):
    done = support.casper("run", "-n", 2, "--dry-run", site["app"], ":", "-n", 1, site["app"])
    assert done.returncode == 2 and "several programs" in done.stderr
    done = support.casper("env", "-n", 3, site["app"], ":", "-n", 1, site["app"], env=site["env"])
    assert done.returncode == 0 and "# no command for several programs" in done.stdout


def test_a_library_of_a_library_comes_behind_what_casper_needs(site):
    """It, and not that of Casper's build, is to be the program's MPI library."""
    root = site["root"]
    other = support.write_elf(root / "else/libmpich.so.12", soname="libmpich.so.12")
    support.write_elf(root / "l/libf.so", ["libmpich.so.12"], "libf.so", runpath="$ORIGIN/../lib")
    through = support.write_elf(root / "through", ["libf.so"], runpath="$ORIGIN/l")
    build = support.write_elf(
        root / "b/libcasper.so", ["libmpich.so.12"], runpath=os.path.dirname(other)
    )
    for app, path in ((site["app"], ""), (through, f"LD_LIBRARY_PATH {root}/lib ")):
        words = ["run", "-n", 1, "--dry-run", app]
        done = support.casper(*words, env={"CSP_LIBRARY": build, "LD_LIBRARY_PATH": ""})
        assert done.returncode == 0, done.stderr
        assert re.findall(r"LD_LIBRARY_PATH \S+ ", done.stdout) == ([path] if path else [])


def test_check_in_a_slurm_job_without_mpiexec(site, monkeypatch):
    """casper run takes srun there."""
    (site["root"] / "bin/mpiexec").unlink()
    support.write_script(site["root"] / "bin/srun", "#!/bin/sh\n")
    mpi = f"{site['root']}/lib/libmpich.so.12"
    env = {**site["env"], "PATH": f"{site['root']}/bin:/usr/bin:/bin"}
    words = ["check", "--mpi", mpi, "--mpiexec", "/nowhere/mpiexec"]
    assert "cannot run" in support.casper(*words, env=env).stdout
    env["PATH"] = f"{site['root']}/bin"
    for job, verdict in (({}, "cannot run"), ({"SLURM_JOB_ID": "1"}, "verdict: ready")):
        done = support.casper("check", "--mpi", mpi, env={**env, **job})
        assert verdict in done.stdout, done.stdout
    assert "casper run takes srun; the gap was not measured" in done.stdout
    done = support.casper(*words, env={**env, "SLURM_JOB_ID": "1"})
    assert "cannot run" in done.stdout and "no such program" in done.stdout


def test_a_preload_of_the_user_is_kept(site):
    env = {**site["env"], "LD_PRELOAD": ""}
    words = ["run", "-n", 1, "--dry-run", "--env", "LD_PRELOAD=/t/libtool.so"]
    done = support.casper(*words, site["app"], env=env)
    assert f"LD_PRELOAD /t/libtool.so:{site['build']} " in done.stdout


def test_report_file_is_absolute(site):
    words = ["run", "-n", 1, "--dry-run", "--report-file", "r.json", site["app"]]
    done = support.casper(*words, env=site["env"], cwd=site["root"])
    assert f"CSP_REPORT_FILE {site['root']}/r.json" in done.stdout


def test_variables_of_casper_by_env_are_kept(site):
    """The number of ghosts decides how many ranks there are, too."""
    words = ["run", "-n", 4, "--virtual-nodes", 2, "--report", "--dry-run"]
    for name in ("CSP_NG=2", "CSP_REPORT=0", "CSP_STRICT=0"):
        words += ["--env", name]
    done = support.casper(*words, site["app"], env=site["env"])
    assert done.returncode == 0, done.stderr
    assert " -n 8 " in done.stdout and "8 = 4 users + 2 ghosts" in done.stderr
    for name in ("CSP_NG 2", "CSP_REPORT 0", "CSP_STRICT 0"):
        assert f"-genv {name} " in done.stdout, done.stdout
        assert done.stdout.count(name.split()[0]) == 1


def test_env_prints_shell_lines(site):
    words = ["env", "-n", 4, "--virtual-nodes", 2, site["app"]]
    done = support.casper(*words, env=site["env"])
    lines = done.stdout.splitlines()
    code = [text for text in lines if not text.startswith("#")]
    want = ["LD_PRELOAD=" + str(site["build"]), "CSP_NG=1", "CSP_STRICT=1"]
    exports = [f"export {setting}" for setting in want]
    assert sorted(code) == sorted([*exports, "unset CSP_LIBRARY"])
    assert any("Start 6 ranks, 3 on every node" in text for text in lines)


@pytest.mark.parametrize("words", [["--nodes", 4], ["--nodes", 4, "--ppn", 2]])
def test_env_needs_no_names_of_nodes(site, words):
    """On a login node, or under a batch system that Casper does not know."""
    done = support.casper("env", "-n", 8, *words, site["app"], env=site["env"])
    assert done.returncode == 0, done.stderr
    assert "Start 12 ranks, 3 on every node" in done.stdout


def test_env_needs_no_launcher(site):
    (site["root"] / "bin/mpiexec").unlink()
    env = {**site["env"], "PATH": "/nowhere"}
    done = support.casper("env", "-n", 4, site["app"], env=env)
    assert done.returncode == 0, done.stderr
    assert "export CSP_NG=1" in done.stdout
    assert "# no command: no mpiexec for" in done.stdout
    assert support.casper("run", "-n", 4, site["app"], env=env).returncode == 1


def test_env_says_why_there_is_no_command(site):
    words = ["env", "-n", 10, "--nodes", 4, site["app"]]
    done = support.casper(*words, env=site["env"])
    assert done.returncode == 0, done.stderr
    assert "export CSP_NG=1" in done.stdout
    assert "# no command: mpiexec fills all nodes but the last equally" in done.stdout


def test_env_unsets_what_is_for_the_command_alone(site):
    old = str(site["root"] / "old/libcasper.so")
    env = {**site["env"], "CSP_PROFILE": "/x/p.json"}
    words = ["-n", 1, site["app"]]
    done = support.casper("env", *words, env=env)
    assert {"unset CSP_LIBRARY", "unset CSP_PROFILE"} < set(done.stdout.splitlines())
    line = plan.launch.Command(["app"], plan.cleaned({"LD_PRELOAD": f"/t/a.so:{old}"})[1]).shell()
    assert line == "env LD_PRELOAD=/t/a.so app"
    line = plan.launch.Command(["app"], plan.cleaned({"LD_PRELOAD": old})[1]).shell()
    assert line == "env -u LD_PRELOAD app"


def test_env_without_a_program(site):
    words = ["env", "-n", 4, "--mpi", site["root"] / "lib/libmpich.so.12"]
    done = support.casper(*words, env=site["env"])
    assert done.returncode == 0 and "export CSP_NG=1" in done.stdout


# Configuration


def row(name):
    return config.variable(name)


@pytest.mark.parametrize(
    "name, text, value",
    [
        ("CSP_NG", "2", 2),
        ("CSP_NG", "65", None),
        ("CSP_NG", "two", None),
        ("CSP_NG", "1_0", None),
        ("CSP_NG", " 2", None),
        ("CSP_NG", "", None),
        ("CSP_POOL_SIZE", "16M", 16 << 20),
        ("CSP_POOL_SIZE", "1g", 1 << 30),
        ("CSP_POOL_SIZE", "1", None),
        ("CSP_POOL_SIZE", "16MB", None),
        ("CSP_POOL_SIZE", "16M ", None),
        ("CSP_POOL_SIZE", "-1M", None),
        ("CSP_REPORT", "yes", True),
        ("CSP_REPORT", "OFF", False),
        ("CSP_REPORT", "2", None),
        ("CSP_REPORT", " 1", None),
        ("CSP_LOG", "info", "info"),
        ("CSP_LOG", "loud", None),
        ("CSP_LOG", "info ", None),
        ("CSP_REPORT_FILE", "/x y", "/x y"),
    ],
)
def test_values(name, text, value):
    assert config.parse(row(name), text) == value


def test_every_default_is_allowed():
    for variable in config.table():
        assert config.parse(variable, config.shown(variable["default"])) is not None


def test_wrong_variables_are_named_with_the_nearest():
    env = {"CSP_GN": "1", "CSP_LOG": "wran", "CSP_NG": "100", "CSPX": "1"}
    rows, problems = config.report(env)
    text = "\n".join(problems)
    assert "did you mean CSP_NG?" in text and "did you mean warn?" in text and "0 to 64" in text
    assert len(problems) == 3
    assert next(r for r in rows if r["name"] == "CSP_NG")["value"] == "1"


def test_config_command():
    done = support.casper("config", "--json", env={"CSP_NG": "3"})
    data = json.loads(done.stdout)
    found = {variable["name"]: variable for variable in data["variables"]}
    assert done.returncode == 0 and data["problems"] == []
    assert (found["CSP_NG"]["value"], found["CSP_NG"]["origin"]) == ("3", "environment")
    assert found["CSP_LOG"]["origin"] == "default" and found["CSP_LOG"]["help"]
    done = support.casper("config", env={"CSP_NGG": "3"})
    assert done.returncode == 1 and "did you mean CSP_NG?" in done.stderr
    assert "* " not in done.stdout.split("\n* set")[0] and "CSP_POOL_SIZE" in done.stdout


def test_missing_table_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(config, "TABLE", str(tmp_path / "none.json"))
    config.table.cache_clear()
    try:
        with pytest.raises(Exception, match="cannot be read"):
            config.table()
    finally:
        config.table.cache_clear()


def test_usage_error_in_process():
    with pytest.raises(UsageError):
        cli.parse(["run", "-n"])
