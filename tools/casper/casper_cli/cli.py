# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The command line of casper: options, sub-commands, errors."""

import argparse
import os
import re
import sys

from casper_cli import __version__
from casper_cli.errors import CasperError, UsageError, nearest, say

COMMANDS = ("run", "env", "check", "config", "calibrate", "report", "help")
_WITH_PROGRAM = ("run", "env")


class Parser(argparse.ArgumentParser):
    """Errors as UsageError, with the nearest option for a misspelt one."""

    def error(self, message):
        hint = f"See casper help {self.prog.split()[-1]}."
        unknown = re.search(r"unrecognized arguments: (-\S+)", message)
        if unknown:
            word = unknown.group(1).split("=")[0]
            known = [name for action in self._actions for name in action.option_strings]
            close = nearest(word, known)
            message = f"there is no option {word}"
            hint = f"Did you mean {close}?" if close else hint
        raise UsageError(message, hint)


def _add_placement(parser, required=True):
    add = parser.add_argument
    add(
        "-n",
        dest="users",
        type=int,
        required=required,
        metavar="USERS",
        help="ranks of the program",
    )
    add("-g", "--ghosts", type=int, metavar="N", help="ghosts per node (default: CSP_NG, or 1)")
    add("--nodes", type=int, metavar="N", help="nodes to use")
    add("--ppn", type=int, metavar="P", help="users per node")
    add("--hosts", metavar="A,B,...", help="names of the nodes, or NAME:USERS,...")
    add("--virtual-nodes", type=int, metavar="N", help="act as N nodes on this machine")
    add("--bind", choices=("auto", "core", "none", "default"), default="auto", help="binding")


def _add_mpi(parser, launcher=True):
    add = parser.add_argument
    add("--mpi", metavar="NAME|PATH", help="the program's MPI library, instead of finding it")
    add("--mpiexec", metavar="PATH", help="the mpiexec to use")
    if launcher:
        kinds = ("auto", "mpiexec", "srun")
        add("--launcher", choices=kinds, default="auto", help="what starts ranks")
    add("--launcher-arg", action="append", metavar="ARG", help="passed on to mpiexec or srun")


def _add_ranks(parser):
    add = parser.add_argument
    add("--report", action="store_true", help="print the end-of-run report")
    add("--report-file", metavar="FILE", help="write the report as JSON")
    add("--env", action="append", metavar="K=V", help="variable for the ranks")
    add("--plain", action="store_true", help="without ghosts and without Casper")


def _seconds(text):
    value = float(text)
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text}: seconds greater than 0")
    return value


def _minutes(text):
    value = float(text)
    if not 0.05 <= value <= 10000:
        raise argparse.ArgumentTypeError(f"{text}: minutes, 0.05 to 10000")
    return value


def make_parser():
    """(the parser, the parsers of the sub-commands by name)."""
    top = Parser(prog="casper", add_help=False, allow_abbrev=False)
    top.add_argument("-h", "--help", action="store_true")
    top.add_argument("-V", "--version", action="store_true")
    subs = top.add_subparsers(dest="verb", parser_class=Parser, metavar="COMMAND")
    made = {}

    def sub(name, text):
        made[name] = subs.add_parser(name, description=text, help=text, allow_abbrev=False)
        if name in _WITH_PROGRAM:
            made[name].usage = f"casper {name} -n USERS [options] [--] PROGRAM [ARGS]"
        return made[name]

    run = sub("run", "Run a program with ghosts; USERS counts the program's ranks.")
    env = sub("env", "Print what to set by hand to run a program with ghosts.")
    for parser in (run, env):
        _add_placement(parser)
        _add_mpi(parser)
        _add_ranks(parser)
    run.add_argument("--timeout", type=_seconds, metavar="S", help="end the job after S seconds")
    run.add_argument("--dry-run", action="store_true", help="print the command, do not run it")
    run.add_argument("-v", "--verbose", action="store_true", help="say what is chosen")
    check = sub("check", "Look at this machine and measure whether its MPI needs ghosts.")
    _add_mpi(check, launcher=False)  # its virtual nodes need the library's mpiexec
    check.add_argument("--json", action="store_true", help="as JSON")
    check.add_argument("--no-measure", action="store_true", help="look only, run no MPI program")
    check.add_argument("--timeout", type=_seconds, default=60, metavar="S", help="for each run")
    config = sub("config", "List every variable of Casper and its value, and the profile.")
    _add_placement(config, required=False)
    _add_mpi(config)
    config.add_argument("--json", action="store_true", help="as JSON")
    config.add_argument("--brief", action="store_true", help="values only")
    calibrate = sub("calibrate", "Measure the thresholds of redirection by profile.")
    _add_placement(calibrate)
    _add_mpi(calibrate)
    calibrate.add_argument("--minutes", type=_minutes, default=5, metavar="M", help="time to take")
    calibrate.add_argument("--only", action="append", metavar="FACTOR=A,B", help="what to sample")
    calibrate.add_argument("-o", "--output", metavar="FILE", help="the profile to add to")
    for parser in (config, calibrate):  # what else a plan may depend on
        parser.set_defaults(plain=False, env=None, report=False, report_file=None)
    report = sub("report", "Make a page of the timelines that CSP_TRACE=DIR wrote.")
    report.add_argument(
        "directory", metavar="DIR", help="where the traces are; the page goes there"
    )
    sub("help", "Explain a command.").add_argument("topic", nargs="?", choices=sorted(COMMANDS))
    return top, made


def _with_value(parser):
    """The options that take one."""
    return {
        name for action in parser._actions if action.nargs is None for name in action.option_strings
    }


def split_program(parser, words):
    """(options, program and its arguments): the first word that belongs to no option starts it."""
    with_value = _with_value(parser)
    i = 0
    while i < len(words):
        word = words[i]
        if word == "--":
            return words[:i], words[i + 1 :]
        if not word.startswith("-") or word == "-":
            return words[:i], words[i:]
        i += 2 if word in with_value else 1
    return words, []


def separated(parser, words):
    """The words with `-n4` as two: Python 3.7 does not take one."""
    with_value, found = _with_value(parser), []
    for word in words:
        two = word[:2] in with_value and word[2:3] not in ("", "=")
        found += [word[:2], word[2:]] if two else [word]
    return found


def parse(argv):
    """Parsed options; `command` holds the program of run and env."""
    top, subs = make_parser()
    verb = argv[0] if argv else ""
    if verb and not verb.startswith("-") and verb not in COMMANDS:
        close = nearest(verb, COMMANDS)
        hint = f"Did you mean casper {close}?" if close else f"Commands: {', '.join(COMMANDS)}."
        raise UsageError(f"there is no command '{verb}'", hint)
    if verb not in COMMANDS:
        return top.parse_args(argv), top, subs
    options, command = argv[1:], []
    if verb in _WITH_PROGRAM:
        options, command = split_program(subs[verb], options)
    options = separated(subs[verb], options)
    args, rest = subs[verb].parse_known_args(options)  # top would not know the nearest option
    if rest:
        subs[verb].error(f"unrecognized arguments: {rest[0]}")
    args.verb, args.command, args.help, args.version = verb, command, False, False
    return args, top, subs


def _help(args, top, subs):
    topic = getattr(args, "topic", None)
    (subs[topic] if topic in subs else top).print_help()
    return 0


def dispatch(args, top, subs, env):
    if args.version:
        print(f"casper {__version__}")
        return 0
    if args.help or args.verb in (None, "help"):
        _help(args, top, subs)
        return 0 if args.help or args.verb == "help" else 2
    # Imported when needed: each command starts quickly and alone.
    from casper_cli import calibrate, check, config_show, run, timeline

    verbs = {
        "run": run.run,
        "env": run.show_env,
        "check": check.run,
        "config": config_show.run,
        "calibrate": calibrate.run,
        "report": timeline.run,
    }
    return verbs[args.verb](args, env)


def main(argv=None):
    """The exit code: the program's for run; 1 for a failure, 2 for wrong usage."""
    try:
        args, top, subs = parse(sys.argv[1:] if argv is None else argv)
        return dispatch(args, top, subs, dict(os.environ))
    except CasperError as error:
        say("error", error.cause, error.remedy)
        return error.code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as error:
        if error.filename is None:  # not the user's matter
            raise
        say(
            "error",
            f"{error.filename}: {error.strerror}",
            "Is it the right one, and may you use it?",
        )
        return 1
    except KeyboardInterrupt:
        return 130
